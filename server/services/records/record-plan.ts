import type { StreamRow } from '../../stores/record-streams-store.ts';
import type { KnownRecord, RecordPlace } from '../../stores/records-store.ts';
import type { RecordInput } from './record-input.ts';

export interface Hashed extends RecordInput {
  hash: string;
}

/** What is to be done with the records of a batch that are not stored as they are already. */
export interface Plan {
  upserts: Hashed[];
  restores: Hashed[];
  /** Payload ids of records that have one. */
  payloadIds: Map<string, number>;
  /** Left alone because somebody else changed them. */
  guarded: string[];
  added: number;
  updated: number;
  unchanged: number;
}

/** Where a record is written, with the text that is sealed there. */
export interface SavePlace extends RecordPlace {
  json: string;
}

/** Places in the order of `changed`, beginning at `first`; a record that has a payload keeps its number. */
export function placesOf(
  changed: Hashed[],
  payloadIds: Map<string, number>,
  first: { stamp: number; payloadId: number },
): SavePlace[] {
  let { stamp, payloadId } = first;
  return changed.map(({ id, hash, json }) => ({
    externalId: id,
    hash,
    json,
    payloadId: payloadIds.get(id) || payloadId++,
    stamp: stamp++,
  }));
}

/** Payloads that are written over; one that a version has stays as it is, so the record gets a new one. */
export function reusablePayloads(stream: StreamRow, plan: Plan): Map<string, number> {
  if (stream.historySince <= 0) return plan.payloadIds;
  return new Map(plan.restores.map(({ id }) => [id, plan.payloadIds.get(id) ?? 0]));
}

/** `known` lists the records of the batch that are not live and equal already. */
export function planSave(batch: Hashed[], known: KnownRecord[], guardStamp: number): Plan {
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
