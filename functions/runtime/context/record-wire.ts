import type { WireRecord } from '../bridge.ts';
import {
  JSONStringify,
  NumberIsNaN,
  ReflectDeleteProperty,
  StringPrototypeReplaceAll,
  toText,
} from '../primordials.ts';

const MAX_ID_LENGTH = 2048;

/** Checks the id rules of functions.md 3.6 and serialises the record once. */
export function toWireRecord(record: unknown): WireRecord {
  const id = idOf(record);
  const own = withoutMetadata(record as Record<string, unknown>);
  const json = own['id'] === id ? JSONStringify(own) : JSONStringify({ ...own, id });
  if (typeof json !== 'string') throw new Error(`the record '${id}' cannot be written as JSON`);
  return { id, json };
}

/** The member is deleted from the author's own object, as the contract requires. A frozen object is copied. */
function withoutMetadata(record: Record<string, unknown>): Record<string, unknown> {
  if (ReflectDeleteProperty(record, '_nango_metadata')) return record;
  const { _nango_metadata: _own, ...rest } = record;
  return rest;
}

/** The id in stored form: text without NUL. */
export function idOf(record: unknown): string {
  if (typeof record !== 'object' || record === null) throw new Error('a record is missing');
  const id = (record as { id?: unknown }).id;
  if (id === undefined || id === null || id === '' || id === 0 || NumberIsNaN(id))
    throw new Error('a record has no id');
  if (typeof id !== 'string' && typeof id !== 'number')
    throw new Error('the id of a record is neither a text nor a number');
  const text = toStoredId(id);
  if (text === '') throw new Error('a record has no id');
  if (text.length > MAX_ID_LENGTH) throw new Error(`the id of a record is longer than ${MAX_ID_LENGTH} characters`);
  return text;
}

/** Ids are stored as text, which cannot contain NUL. */
export function toStoredId(id: unknown): string {
  return StringPrototypeReplaceAll(toText(id), '\0', '');
}
