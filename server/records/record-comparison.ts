import type { Database } from '../platform/database/database.ts';
import { mapInSlices } from '../platform/lib/event-loop-slices.ts';
import { readExactJson } from '../platform/lib/exact-json.ts';
import { stableJson } from '../platform/lib/stable-json.ts';
import type { StreamTarget } from './record-reader.ts';
import { type RecordHasher, type RecordSealer, sealContext } from './record-sealer.ts';
import type { RecordStreamsStore } from './record-streams.store.ts';
import type { RecordInput } from './record-writer.ts';
import type { RecordsStore } from './records.store.ts';

/** Whether a record of a file says what a stored one says, in a form that cannot say all that JSON can. */
export type SaysTheSame = (stored: unknown, given: unknown) => boolean;

export interface RecordComparison {
  /** The batch; a record that says what the stored one says has the text of that one. */
  records: RecordInput[];
  added: number;
  updated: number;
  unchanged: number;
  /** Ids of those that would be updated. */
  changed: ReadonlySet<string>;
}

/** Tells what a save of records would do, without doing it. */
export function createRecordComparison({
  database,
  recordStreamsStore,
  recordsStore,
  sealer,
  hashOf,
}: {
  database: Database;
  recordStreamsStore: RecordStreamsStore;
  recordsStore: RecordsStore;
  sealer: RecordSealer;
  hashOf: RecordHasher;
}) {
  const { reader } = database;
  const sizeOf = ({ json }: RecordInput): number => json.length;

  async function known(target: StreamTarget, batch: ReadonlyArray<[id: string, hash: string]>) {
    const stream = await recordStreamsStore.find(reader, target.connectionRowId, target.model, target.variant);
    return { stream, changed: stream && (await recordsStore.listChanged(reader, stream.id, JSON.stringify(batch))) };
  }

  return {
    /** The ids of the batch must differ. The order of members makes no difference. */
    async compare(target: StreamTarget, batch: RecordInput[], saysTheSame: SaysTheSame): Promise<RecordComparison> {
      const hashed = await mapInSlices(batch, sizeOf, ({ id, json }): [string, string] => [id, hashOf(json)]);
      const { stream, changed } = await known(target, hashed);
      if (!stream || !changed)
        return { records: batch, added: batch.length, updated: 0, unchanged: 0, changed: new Set() };
      const counts = { added: 0, updated: 0, unchanged: batch.length - changed.length };
      const candidates: RecordInput[] = [];
      for (const { index, payloadId, isDeleted, isSameHash } of changed) {
        const record = batch[index];
        if (payloadId === undefined || isDeleted) counts.added += 1;
        else if (isSameHash) counts.unchanged += 1;
        else if (record) candidates.push(record);
      }
      const stored = await recordsStore.listPayloads(
        reader,
        stream.id,
        candidates.map(({ id }) => id),
      );
      const sealedOf = new Map(stored.map(({ externalId, sealed }) => [externalId, sealed]));
      const kept = new Map<string, string>();
      await mapInSlices(candidates, sizeOf, ({ id, json }) => {
        const sealed = sealedOf.get(id);
        const text = sealed && sealer.open(sealed, sealContext(stream.id, id));
        const [before, now] = [text && readExactJson(text), readExactJson(json)];
        if (text && (stableJson(before) === stableJson(now) || saysTheSame(before, now))) kept.set(id, text);
      });
      counts.unchanged += kept.size;
      counts.updated = candidates.length - kept.size;
      const records = batch.map(({ id, json }) => ({ id, json: kept.get(id) ?? json }));
      return { records, ...counts, changed: new Set(candidates.flatMap(({ id }) => (kept.has(id) ? [] : [id]))) };
    },
    /** Those of the ids that have a live record. */
    async listLive(target: StreamTarget, ids: readonly string[]): Promise<string[]> {
      const { changed = [] } = await known(
        target,
        // No live record has an empty hash, so every known record is returned.
        ids.map((id) => [id, '']),
      );
      return changed.flatMap(({ index, payloadId, isDeleted }) =>
        payloadId === undefined || isDeleted ? [] : (ids[index] ?? []),
      );
    },
  };
}
