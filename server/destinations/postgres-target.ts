import { mapInSlices } from '../platform/lib/event-loop-slices.ts';
import { formatMicros } from '../records/records.service.ts';
import {
  type BatchPart,
  CursorMoved,
  type DeliveredRecord,
  type DeliveryBatch,
  type DeliveryModel,
  type DeliveryStream,
  type DeliveryTarget,
  DestinationError,
  type OpenTarget,
  type TargetStart,
} from './destination-target.ts';
import type { DeliveredStream } from './destinations.store.ts';
import { connectPg, PG_LIMITS, type PgAddress, type PgConnection, type PgTls } from './pg-connection.ts';
import {
  assertAdoptable,
  assertUnchanged,
  type ColumnPlan,
  pgTableName,
  pgTypeShown,
  planColumns,
} from './pg-tables.ts';
import { type PgTable, PgTargetStore } from './pg-target.store.ts';
import { fits, readPayload, storableText } from './pg-values.ts';

export interface PostgresSettings {
  schema: string;
  tls: PgTls;
  certificate: string | null;
  /** What happens to the row of a deleted record. */
  deletions: 'delete' | 'mark';
}

/** A table that is ready for the records of a model. */
interface ReadyTable extends ColumnPlan {
  table: string;
}

/**
 * A schema of a PostgreSQL database: a table for each model. The cursors are in a table of the same schema and move in
 * the transaction of the records, so that every change arrives exactly once whatever breaks.
 */
export function createPostgresTarget(address: PgAddress, settings: PostgresSettings): DeliveryTarget {
  const { deletions, schema, tls, certificate } = settings;
  const store = new PgTargetStore({ schema });

  async function connect(signal: AbortSignal): Promise<PgConnection> {
    const db = await connectPg(address, { mode: tls, certificate }, signal);
    try {
      await store.setLimits(db, PG_LIMITS);
      return db;
    } catch (error) {
      db.destroy();
      throw error;
    }
  }

  async function inTransaction<T>(db: PgConnection, work: () => Promise<T>): Promise<T> {
    await store.begin(db);
    try {
      const result = await work();
      await store.commit(db);
      return result;
    } catch (error) {
      // The connection may be gone, and then the server rolls back by itself.
      await store.rollback(db).catch(() => {});
      throw error;
    }
  }

  async function prepare(
    db: PgConnection,
    owner: { destination: string; generation: number },
  ): Promise<{ generation: number; mark: string | null; version: string; hasSchema: boolean }> {
    const { encoding, hasSchema, version } = await store.findVersion(db);
    if (encoding !== 'UTF8')
      throw new DestinationError(
        'destination_refused',
        `The database has the encoding ${encoding}, which cannot hold every character. Make one with the encoding UTF8.`,
      );
    if (!hasSchema) await store.createSchema(db);
    await store.createOwnTables(db);
    const found = await store.takeOwner(db, owner);
    if (found.destination !== owner.destination)
      throw new DestinationError(
        'destination_taken',
        `The schema "${schema}" of this database belongs to another destination, of this hub or of another one. Choose another schema, or drop it there.`,
      );
    return { ...found, version, hasSchema };
  }

  /** After this, and with everything delivered again, the tables have what the hub has. */
  async function takeBack(db: PgConnection, { marks }: TargetStart): Promise<void> {
    if (marks.isOtherHub)
      throw new DestinationError(
        'destination_taken',
        'Another copy of this hub writes to this destination too. Let only one of them use it, and then replay it from the beginning.',
      );
    for (const { table } of await store.listTables(db)) {
      if (!(await store.findColumns(db, table))) continue;
      if (deletions === 'delete') await store.removeRowsAfter(db, table, marks.stamp);
      else await store.markRowsAfter(db, table, marks.stamp);
    }
    await store.setBack(db, 0);
  }

  return {
    async open(start: TargetStart): Promise<OpenTarget> {
      const db = await connect(start.signal);
      try {
        const found = await inTransaction(db, async () => {
          const owner = { destination: start.destinationId, generation: start.generation };
          const { generation, mark } = await prepare(db, owner);
          const isAhead = isAheadOf(start, mark, await store.listStreams(db));
          if (isAhead) await takeBack(db, start);
          await store.setMark(db, start.marks.next);
          if (generation < start.generation) {
            if (start.replayFrom !== null) await store.setBack(db, start.replayFrom);
            if (start.replayFrom === 0) await store.forgetTables(db);
            await store.setGeneration(db, start.generation);
          }
          return { cursors: await store.listStreams(db), isAhead };
        });
        return createOpenTarget({ db, store, ...found, schema, deletions, inTransaction });
      } catch (error) {
        db.destroy();
        throw error;
      }
    },
    async test(signal, destinationId) {
      const db = await connect(signal);
      try {
        await store.begin(db);
        const owner = { destination: destinationId, generation: 0 };
        const { hasSchema, version } = await prepare(db, owner);
        await store.rollback(db);
        return `PostgreSQL ${version} answers. The schema "${schema}" ${hasSchema ? 'is there' : 'will be made'}.`;
      } finally {
        db.destroy();
      }
    },
  };
}

/** With an earlier backup of the database, cursors there are behind: then only what it lacks is delivered. */
function isAheadOf(
  { delivered, marks }: TargetStart,
  mark: string | null,
  cursors: readonly DeliveredStream[],
): boolean {
  if (mark === null || marks.known.includes(mark)) return false;
  const known = new Map(delivered.map(({ cursor, streamId }) => [streamId, cursor]));
  return cursors.some(({ cursor, streamId }) => cursor > (known.get(streamId) ?? 0));
}

function createOpenTarget({
  db,
  store,
  cursors,
  isAhead,
  schema,
  deletions,
  inTransaction,
}: {
  db: PgConnection;
  store: PgTargetStore;
  cursors: readonly DeliveredStream[];
  isAhead: boolean;
  schema: string;
  deletions: PostgresSettings['deletions'];
  inTransaction: <T>(db: PgConnection, work: () => Promise<T>) => Promise<T>;
}): OpenTarget {
  const knownStreams = new Set(cursors.map(({ streamId }) => streamId));
  const ready = new Map<string, ReadyTable>();

  /** In a transaction: makes the table or the columns that are missing. */
  async function prepareTable({ integrationKey, model, columns }: DeliveryModel): Promise<ReadyTable> {
    const tables = await store.listTables(db);
    const known = tables.find((one) => one.integrationKey === integrationKey && one.model === model);
    const table =
      known?.table ?? pgTableName(integrationKey, model, (name) => tables.some((one) => one.table === name));
    let actual = await store.findColumns(db, table);
    if (known) assertUnchanged(known, actual, schema);
    else if (actual) assertAdoptable(table, actual, schema);
    else {
      await store.createTable(db, table);
      actual = new Map();
    }
    const plan = planColumns(columns ?? [], known?.columns ?? [], actual);
    if (plan.added.length > 0) await store.addColumns(db, table, plan.added);
    const made: PgTable = { integrationKey, model, table, columns: plan.columns };
    if (!known || plan.columns.length > known.columns.length) await store.upsertTable(db, made);
    return { table, ...plan };
  }

  async function lockParts(parts: readonly BatchPart[]): Promise<void> {
    const unknown = parts.map(({ stream }) => stream).filter(({ id }) => !knownStreams.has(id));
    if (unknown.length > 0) await store.insertStreams(db, unknown.map(nameOf));
    const found = await store.lockCursors(
      db,
      parts.map(({ stream }) => stream.id),
    );
    for (const { stream, after } of parts) {
      const cursor = found.get(stream.id) ?? 0;
      if (cursor !== after) throw new CursorMoved(stream.id, cursor);
    }
  }

  return {
    cursors,
    isAhead,
    position: () => '{}',
    async write(batch: DeliveryBatch) {
      const key = JSON.stringify([batch.integrationKey, batch.model]);
      const isDeleting = deletions === 'delete';
      const table = await inTransaction(db, async () => {
        await lockParts(batch.parts);
        const target = ready.get(key) ?? (await prepareTable(batch));
        const changes = batch.parts.flatMap(({ records, stream }) => records.map((record) => ({ record, stream })));
        const gone = changes.filter(({ record }) => isDeleting && record.isDeleted);
        const rest = changes.filter(({ record }) => !(isDeleting && record.isDeleted));
        const full = rest.filter(({ record }) => record.payload !== null);
        const pruned = rest.filter(({ record }) => record.payload === null);
        if (full.length > 0) {
          const rows = await mapInSlices(
            full,
            ({ record }) => record.payload?.length ?? 0,
            ({ record, stream }) => rowText(stream, record, target),
          );
          await store.upsert(db, target.table, {
            columns: target.columns,
            rows: `[${rows.join(',')}]`,
            keepsContent: false,
          });
        }
        if (pruned.length > 0) {
          const rows = pruned.map(({ record, stream }) => rowText(stream, record, target));
          await store.upsert(db, target.table, { columns: [], rows: `[${rows.join(',')}]`, keepsContent: true });
        }
        if (gone.length > 0)
          await store.removeRows(
            db,
            target.table,
            gone.map(({ record }) => record.key),
          );
        await store.setCursors(
          db,
          batch.parts.map(({ stream, until }) => ({ stream: stream.id, cursor: until })),
        );
        return target;
      });
      // Only now are the columns there for good.
      ready.set(key, table);
      for (const { stream } of batch.parts) knownStreams.add(stream.id);
    },
    async removeStreams(streams) {
      const ids = streams.map(({ streamId }) => streamId);
      await inTransaction(db, async () => {
        for (const { integrationKey, model, table } of await store.listTables(db)) {
          const isNamed = streams.some((one) => one.integrationKey === integrationKey && one.model === model);
          if (!isNamed || !(await store.findColumns(db, table))) continue;
          if (deletions === 'delete') await store.removeRowsOf(db, table, ids);
          else await store.markRowsOf(db, table, ids);
        }
        await store.removeStreams(db, ids);
      });
      for (const id of ids) knownStreams.delete(id);
    },
    close: () => db.close(),
  };
}

const nameOf = ({ id, connectionId, integrationKey, model, variant }: DeliveryStream) => ({
  streamId: id,
  integrationKey,
  model,
  connectionId,
  variant,
});

/** The row of a record as JSON. What no column holds is in `_record`. */
function rowText(stream: DeliveryStream, record: DeliveredRecord, { byMember, columns }: ColumnPlan): string {
  const row: Record<string, unknown> = {
    _key: record.key,
    _id: storableText(record.id),
    _connection: storableText(stream.connectionId),
    _variant: stream.variant,
    _end_user: stream.endUserId === null ? null : storableText(stream.endUserId),
    _tags: readPayload(stream.tags),
    _first_seen: formatMicros(record.createdAt),
    _last_changed: formatMicros(record.updatedAt),
    _deleted: record.isDeleted,
    _stream: stream.id,
  };
  // Without a prototype, so that a member named __proto__ is an ordinary one.
  const rest = Object.create(null) as Record<string, unknown>;
  let hasRest = false;
  const members = record.payload === null ? {} : readPayload(record.payload);
  for (const [member, value] of Object.entries(members)) {
    const index = byMember.get(member);
    const column = index === undefined ? undefined : columns[index];
    if (value === null && column) continue;
    if (column && fits(pgTypeShown(column.type), value)) row[`c${index}`] = value;
    else {
      rest[member] = value;
      hasRest = true;
    }
  }
  if (hasRest) row['_record'] = rest;
  return JSON.stringify(row);
}
