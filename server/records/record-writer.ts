import type { Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { mapInSlices } from '../platform/lib/event-loop-slices.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { isJsonObject } from '../platform/lib/json-object.ts';
import { parseJson } from '../platform/lib/parse-json.ts';
import { type RecordHasher, type RecordSealer, sealContext } from './record-sealer.ts';
import type { RecordStreamsStore, StreamRow } from './record-streams.store.ts';
import type { RecordAuthor, RecordVersionsStore } from './record-versions.store.ts';
import type { KnownRecord, PayloadWrite, RecordScope, RecordsStore } from './records.store.ts';

export interface WriteTarget {
  connectionRowId: number;
  model: string;
  variant: string;
  jobId: number;
  /** Log operation of the run. */
  operationId: string | null;
  /** Existing records that changed after this stamp are not modified. */
  guardStamp: number;
}

export interface WriteResult {
  added: number;
  updated: number;
  deleted: number;
  unchanged: number;
  /** Stamp of the last row that this write changed; 0 when it changed none. */
  lastStamp: number;
}

const NOTHING: WriteResult = { added: 0, updated: 0, deleted: 0, unchanged: 0, lastStamp: 0 };
const sizeOf = ({ json }: { json: string }): number => json.length;

export type RecordWriter = ReturnType<typeof createRecordWriter>;

/** Writes one batch in one transaction, so that either all or none of it is in the stream of changes. */
export function createRecordWriter({
  clock,
  recordStreamsStore,
  recordsStore,
  recordVersionsStore,
  sealer,
  hashOf,
}: {
  clock: Clock;
  recordStreamsStore: RecordStreamsStore;
  recordsStore: RecordsStore;
  recordVersionsStore: RecordVersionsStore;
  sealer: RecordSealer;
  hashOf: RecordHasher;
}) {
  async function apply(tx: Transaction, stream: StreamRow, target: WriteTarget, plan: Plan): Promise<number> {
    await recordsStore.markSeen(tx, stream.id, target.jobId, plan.guarded);
    const changed = [...plan.upserts, ...plan.restores];
    if (changed.length === 0) return 0;
    const payloadIds = reusablePayloads(stream, plan);
    const newPayloads = changed.filter((record) => !payloadIds.get(record.id)).length;
    const first = await recordsStore.takeStamps(tx, plan.upserts.length, newPayloads, clock.now() * 1000);
    const scopes = scopesOf(changed, payloadIds, first);
    const upserts = scopes.slice(0, plan.upserts.length);
    const restores = scopes.slice(plan.upserts.length);
    // sqlite3 writes the rows on its own thread while this thread seals.
    const [payloads] = await Promise.all([
      seal(stream.id, scopes),
      writeScopes(tx, stream, target, { upserts, restores }),
    ]);
    await recordsStore.writePayloads(tx, payloads);
    if (upserts.length > 0) await addVersions(tx, stream, first.stamp, target);
    if (plan.added > 0) await recordStreamsStore.addToCount(tx, stream.id, plan.added);
    return upserts.at(-1)?.stamp ?? 0;
  }

  async function writeScopes(
    tx: Transaction,
    stream: StreamRow,
    target: WriteTarget,
    { upserts, restores }: { upserts: RecordScope[]; restores: RecordScope[] },
  ): Promise<void> {
    if (upserts.length > 0) {
      await keepReplaced(
        tx,
        stream,
        upserts.map((scope) => scope.externalId),
      );
      await recordsStore.upsert(tx, stream.id, target.jobId, upserts);
    }
    if (restores.length > 0) {
      await recordsStore.restore(tx, stream.id, target.jobId, restores);
      await recordStreamsStore.setPrunedUntil(tx, stream.id, 0);
    }
  }

  async function keepReplaced(tx: Transaction, stream: StreamRow, ids: string[]): Promise<void> {
    if (stream.historySince > 0) await recordVersionsStore.keepReplaced(tx, stream.id, ids);
  }

  async function addVersions(
    tx: Transaction,
    stream: StreamRow,
    firstStamp: number,
    author: RecordAuthor,
  ): Promise<void> {
    if (stream.historySince > 0) await recordVersionsStore.add(tx, stream.id, firstStamp, author);
  }

  function seal(streamId: number, scopes: SaveScope[]): Promise<PayloadWrite[]> {
    return mapInSlices(scopes, sizeOf, ({ payloadId, json, externalId }) => ({
      payloadId,
      sealed: sealer.seal(json, sealContext(streamId, externalId)),
    }));
  }

  async function ensureStream(tx: Transaction, target: WriteTarget): Promise<StreamRow> {
    const { connectionRowId, model, variant } = target;
    const known = await recordStreamsStore.find(tx, connectionRowId, model, variant);
    if (known) return known;
    // The history begins at its own stamp, so later changes have later stamps even when the clock is set back.
    const { stamp } = await recordsStore.takeStamps(tx, 1, 0, clock.now() * 1000);
    return recordStreamsStore.insert(tx, { connectionRowId, model, variant }, stamp);
  }

  return {
    /** Hashes before the transaction begins, so that others can write meanwhile. */
    async prepare(records: RecordInput[]): Promise<Hashed[]> {
      return mapInSlices(records, sizeOf, (record) => ({ ...record, hash: hashOf(record.json) }));
    },
    /** Inserts new records, replaces changed ones, restores deleted ones. */
    async save(tx: Transaction, target: WriteTarget, batch: Hashed[]): Promise<WriteResult> {
      const stream = await ensureStream(tx, target);
      const pairs = JSON.stringify(batch.map(({ id, hash }) => [id, hash]));
      const same = await recordsStore.markUnchanged(tx, stream.id, target.jobId, pairs);
      if (same === batch.length) return { ...NOTHING, unchanged: same };
      const plan = planSave(batch, await recordsStore.listChanged(tx, stream.id, pairs), target.guardStamp);
      const lastStamp = await apply(tx, stream, target, plan);
      return { added: plan.added, updated: plan.updated, deleted: 0, unchanged: same + plan.unchanged, lastStamp };
    },
    /** Merges into live records; unknown and deleted ids are skipped. */
    async update(tx: Transaction, target: WriteTarget, batch: RecordInput[]): Promise<WriteResult> {
      const stream = await recordStreamsStore.find(tx, target.connectionRowId, target.model, target.variant);
      if (!stream) return NOTHING;
      const stored = await recordsStore.listPayloads(
        tx,
        stream.id,
        batch.map((record) => record.id),
      );
      const byId = new Map(stored.map((row) => [row.externalId, row]));
      const mayChange = (id: string): boolean =>
        (byId.get(id)?.updatedAt ?? Number.POSITIVE_INFINITY) <= target.guardStamp;
      const merged = await mapInSlices(
        batch.filter((record) => mayChange(record.id)),
        sizeOf,
        (record): Hashed => {
          const sealed = byId.get(record.id)?.sealed;
          const current = sealed ? sealer.open(sealed, sealContext(stream.id, record.id)) : '{}';
          const json = JSON.stringify(deepMerge(JSON.parse(current), JSON.parse(record.json)));
          return { id: record.id, json, hash: hashOf(json) };
        },
      );
      const upserts = merged.filter((record) => byId.get(record.id)?.hash !== record.hash);
      const payloadIds = new Map(stored.map((row) => [row.externalId, row.payloadId]));
      const touched = new Set(upserts.map((record) => record.id));
      const guarded = stored.map((row) => row.externalId).filter((id) => !touched.has(id));
      const plan: Plan = {
        upserts,
        restores: [],
        payloadIds,
        guarded,
        added: 0,
        updated: upserts.length,
        unchanged: guarded.length,
      };
      const lastStamp = await apply(tx, stream, target, plan);
      return { ...NOTHING, updated: upserts.length, unchanged: guarded.length, lastStamp };
    },
    /** Marks live records as deleted and keeps their payloads; an unknown id is stored as deleted and not counted. */
    async remove(tx: Transaction, target: WriteTarget, ids: string[]): Promise<WriteResult> {
      const stream = await ensureStream(tx, target);
      // No live record has an empty hash, so every known record is returned.
      const known = await recordsStore.listChanged(tx, stream.id, JSON.stringify(ids.map((id) => [id, ''])));
      const state = new Map(known.map((record) => [ids[record.index], record]));
      const mayChange = (record: KnownRecord | undefined): boolean =>
        record?.payloadId === undefined || (!record.isDeleted && record.updatedAt <= target.guardStamp);
      const removable = ids.filter((id) => mayChange(state.get(id)));
      const live = removable.filter((id) => state.get(id)?.payloadId !== undefined);
      const kept = ids.filter((id) => !mayChange(state.get(id)));
      await recordsStore.markSeen(tx, stream.id, target.jobId, kept);
      const unchanged = kept.length;
      if (removable.length === 0) return { ...NOTHING, unchanged };
      const { stamp } = await recordsStore.takeStamps(tx, removable.length, 0, clock.now() * 1000);
      const deletions = removable.map((id, position): [string, number] => [id, stamp + position]);
      await keepReplaced(tx, stream, live);
      await recordsStore.markDeleted(tx, stream.id, target.jobId, deletions);
      await addVersions(tx, stream, stamp, target);
      await recordStreamsStore.addToCount(tx, stream.id, -live.length);
      return { ...NOTHING, deleted: live.length, unchanged, lastStamp: stamp + removable.length - 1 };
    },
    /** Marks every live record as deleted that no run since `generation` has saved; resolves to their ids. */
    async removeUnseen(
      tx: Transaction,
      target: Pick<WriteTarget, 'connectionRowId' | 'model' | 'variant'>,
      generation: number,
      author: RecordAuthor,
    ): Promise<string[]> {
      const stream = await recordStreamsStore.find(tx, target.connectionRowId, target.model, target.variant);
      if (!stream || stream.liveCount === 0) return [];
      if (stream.historySince > 0) await recordVersionsStore.keepUnseen(tx, stream.id, generation);
      const { ids, firstStamp } = await recordsStore.deleteUnseen(tx, stream.id, generation, clock.now() * 1000);
      if (ids.length === 0) return [];
      await addVersions(tx, stream, firstStamp, author);
      await recordStreamsStore.addToCount(tx, stream.id, -ids.length);
      return ids;
    },
  };
}

interface Hashed extends RecordInput {
  hash: string;
}

/** What to do with the records of a batch that differ from the stored ones. */
interface Plan {
  upserts: Hashed[];
  restores: Hashed[];
  /** Payload ids of records that have a payload. */
  payloadIds: Map<string, number>;
  /** Not modified: they changed after the guard stamp, or are stored with the same content. */
  guarded: string[];
  added: number;
  updated: number;
  unchanged: number;
}

/** The row of a record, and the text to seal for it. */
interface SaveScope extends RecordScope {
  json: string;
}

/** Payload ids in the order of `changed`, starting at `first`; a record with a payload keeps its id. */
function scopesOf(
  changed: Hashed[],
  payloadIds: Map<string, number>,
  first: { stamp: number; payloadId: number },
): SaveScope[] {
  let { stamp, payloadId } = first;
  return changed.map(({ id, hash, json }) => ({
    externalId: id,
    hash,
    json,
    payloadId: payloadIds.get(id) || payloadId++,
    stamp: stamp++,
  }));
}

/** Payloads that can be overwritten. A payload of a stored version is kept, so its record gets a new one. */
function reusablePayloads(stream: StreamRow, plan: Plan): Map<string, number> {
  if (stream.historySince <= 0) return plan.payloadIds;
  return new Map(plan.restores.map(({ id }) => [id, plan.payloadIds.get(id) ?? 0]));
}

/** `known` lists the records of the batch that are not already stored and live with the same content. */
function planSave(batch: Hashed[], known: KnownRecord[], guardStamp: number): Plan {
  const plan: Plan = {
    upserts: [],
    restores: [],
    payloadIds: new Map(),
    guarded: [],
    added: 0,
    updated: 0,
    unchanged: 0,
  };
  for (const record of known.sort((a, b) => a.index - b.index)) {
    const input = batch[record.index];
    if (!input) continue;
    const isNew = record.payloadId === undefined;
    if (record.payloadId) plan.payloadIds.set(input.id, record.payloadId);
    if (!isNew && record.updatedAt > guardStamp) {
      plan.guarded.push(input.id);
      plan.unchanged += 1;
    } else if (!isNew && record.isSameHash && !record.isDeleted) {
      plan.restores.push(input);
      plan.unchanged += 1;
    } else {
      plan.upserts.push(input);
      if (isNew || record.isDeleted) plan.added += 1;
      else plan.updated += 1;
    }
  }
  return plan;
}

type JsonObject = Record<string, unknown>;

/** Returns a new object: objects are merged at every depth; arrays and other values are replaced, also by `null`. */
export function deepMerge(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    const current = merged.get(key);
    merged.set(key, isJsonObject(current) && isJsonObject(value) ? deepMerge(current, value) : value);
  }
  // `fromEntries` defines own properties, so a key named __proto__ is an ordinary key.
  return Object.fromEntries(merged);
}

/** A record to save: its id as text, and its JSON text, which contains that id. */
export interface RecordInput {
  id: string;
  json: string;
}

/** In characters (design.md 7.29). */
const MAX_ID_LENGTH = 2048;

/** The id under which a record is stored. Throws `invalid_record` when it cannot be used. */
export function toExternalId(id: string): string {
  const externalId = id.includes('\0') ? id.replaceAll('\0', '') : id;
  if (!isExternalId(externalId)) {
    throw new HomeportError('invalid_record', `A record needs an id of 1 to ${MAX_ID_LENGTH} characters.`);
  }
  return externalId;
}

export function isExternalId(id: string): boolean {
  return id.length > 0 && id.length <= MAX_ID_LENGTH;
}

/** Keeps the first item of each id; returns the ids of the others. */
export function dropDuplicates<T extends { id: string }>(items: readonly T[]): { kept: T[]; duplicates: string[] } {
  const kept = new Map<string, T>();
  const duplicates = new Set<string>();
  for (const item of items) {
    if (kept.has(item.id)) duplicates.add(item.id);
    else kept.set(item.id, item);
  }
  return { kept: [...kept.values()], duplicates: [...duplicates] };
}

/**
 * Checks id and text, and removes the `_metadata` that the record got when it was read as deleted. The text is stored
 * and inserted into pages unchanged, so it must be the JSON of an object; parsing it takes a twentieth of the time of
 * storing it. Throws `invalid_record`.
 */
export function cleanRecord(record: RecordInput): RecordInput {
  const id = toExternalId(record.id);
  const payload = parseJson(record.json);
  if (!isJsonObject(payload)) {
    throw new HomeportError('invalid_record', `The record "${id}" is not an object that can be written as JSON.`);
  }
  if (payload['id'] === id && !('_metadata' in payload)) return { id, json: record.json };
  payload['id'] = id;
  if (isDeletionMark(payload['_metadata'])) delete payload['_metadata'];
  return { id, json: JSON.stringify(payload) };
}

function isDeletionMark(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const keys = Object.keys(value);
  return keys.length === 1 && keys[0] === 'deleted';
}
