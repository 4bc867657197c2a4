import type { Database } from '../platform/database/database.ts';
import { mapInSlices } from '../platform/lib/event-loop-slices.ts';
import { columnsOfSchema } from '../queries/queries.service.ts';
import type { RecordSourceStore, SourceRecord } from '../queries/record-source.store.ts';
import { internalId, type RecordSealer, sealContext } from '../records/records.service.ts';
import type { BatchPart, DeliveredRecord, DeliveryBatch, DeliveryModel, DeliveryStream } from './destination-target.ts';

/** Which records go to a destination; an empty list means all. */
export interface ChosenRecords {
  integrations: readonly string[];
  models: readonly string[];
  connections: readonly string[];
}

/** Most records of a batch. */
const MOST_RECORDS = 2000;
/** Sealed bytes at which a batch is full: it is held in memory several times. */
const MOST_BYTES = 4_000_000;
/** Records that are read before their size is known. */
const FIRST_READ = 100;

export function isChosen(
  filter: ChosenRecords,
  stream: { integrationKey: string; model: string; connectionId: string },
) {
  const has = (list: readonly string[], value: string): boolean => list.length === 0 || list.includes(value);
  return (
    has(filter.integrations, stream.integrationKey) &&
    has(filter.models, stream.model) &&
    has(filter.connections, stream.connectionId)
  );
}

export type DestinationSource = ReturnType<typeof createDestinationSource>;

/** Reads changes of records from the sealed store, in the order in which they were made. */
export function createDestinationSource({
  database,
  recordSourceStore,
  sealer,
}: {
  database: Pick<Database, 'reader'>;
  recordSourceStore: RecordSourceStore;
  sealer: RecordSealer;
}) {
  const db = database.reader;

  async function open(stream: DeliveryStream, rows: readonly SourceRecord[]): Promise<DeliveredRecord[]> {
    return mapInSlices(
      rows,
      ({ sealed }) => sealed?.length ?? 0,
      ({ externalId, createdAt, updatedAt, isDeleted, sealed }) => ({
        id: externalId,
        key: internalId(stream, externalId),
        createdAt,
        updatedAt,
        isDeleted: isDeleted === 1,
        payload: sealed === null ? null : sealer.open(sealed, sealContext(stream.id, externalId)),
      }),
    );
  }

  return {
    /** Every stream of the environment. */
    async listStreams(environmentId: number): Promise<DeliveryStream[]> {
      const [connections, streams] = await Promise.all([
        recordSourceStore.listConnections(db, environmentId),
        recordSourceStore.listStreams(db, environmentId),
      ]);
      const byRow = new Map(connections.map((one) => [one.rowId, one]));
      return streams.flatMap(({ id, connectionRowId, integrationKey, model, variant }) => {
        const connection = byRow.get(connectionRowId);
        if (!connection) return [];
        const { connectionId, endUserId, tags } = connection;
        return [{ id, connectionRowId, integrationKey, model, variant, connectionId, endUserId, tags }];
      });
    },
    /** The columns of the models that have a schema, by `[integration, model]` as JSON. */
    async listColumns(environmentId: number): Promise<Map<string, DeliveryModel['columns']>> {
      const models = await recordSourceStore.listModels(db, environmentId);
      const columns = new Map<string, DeliveryModel['columns']>();
      for (const { definitions, integrationKey, model } of models) {
        const key = JSON.stringify([integrationKey, model]);
        if (columns.has(key)) continue;
        const parsed = JSON.parse(definitions) as Record<string, unknown>;
        columns.set(key, columnsOfSchema(parsed[model], parsed));
      }
      return columns;
    },
    /**
     * The next changes of one model: of one stream after the other, each after its cursor. `atEnd` names the streams
     * that have no further change for now.
     */
    async readBatch(
      model: DeliveryModel,
      streams: ReadonlyArray<{ stream: DeliveryStream; cursor: number }>,
    ): Promise<{ batch: DeliveryBatch; atEnd: Set<number> }> {
      const parts: BatchPart[] = [];
      const atEnd = new Set<number>();
      let [count, bytes] = [0, 0];
      for (const { stream, cursor } of streams) {
        let after = cursor;
        const records: DeliveredRecord[] = [];
        while (count < MOST_RECORDS && bytes < MOST_BYTES) {
          const fitting = count === 0 ? FIRST_READ : Math.ceil((MOST_BYTES - bytes) / Math.max(bytes / count, 1));
          const limit = Math.max(1, Math.min(MOST_RECORDS - count, fitting));
          const rows = await recordSourceStore.listChanged(db, stream.id, after, limit);
          records.push(...(await open(stream, rows)));
          after = rows.at(-1)?.updatedAt ?? after;
          count += rows.length;
          bytes += rows.reduce((sum, { sealed }) => sum + (sealed?.length ?? 0), 0);
          if (rows.length < limit) {
            atEnd.add(stream.id);
            break;
          }
        }
        if (records.length > 0) parts.push({ stream, after: cursor, until: after, records });
        if (count >= MOST_RECORDS || bytes >= MOST_BYTES) break;
      }
      return { batch: { ...model, parts }, atEnd };
    },
  };
}
