import { HomeportError } from '../platform/lib/homeport-error.ts';
import { isJsonObject } from '../platform/lib/json-object.ts';
import { parseJson } from '../platform/lib/parse-json.ts';

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
