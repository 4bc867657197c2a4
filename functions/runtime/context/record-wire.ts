import type { WireRecord } from '../bridge.ts';
import {
  ArrayIsArray,
  JSONStringify,
  NumberIsNaN,
  ReflectDeleteProperty,
  StringPrototypeReplaceAll,
  toText,
} from '../primordials.ts';

const MAX_ID_LENGTH = 2048;

/** Checks the id rules of functions.md 3.6 and serialises the record once. */
export function toWireRecord(record: unknown, index: number): WireRecord {
  const id = idOf(record, index);
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

/** The id in stored form: text without NUL. The index is that in the author's list, for messages. */
export function idOf(record: unknown, index: number): string {
  if (typeof record !== 'object' || record === null)
    throw new Error(`the record at index ${index} is missing: it is ${kindOf(record)}, not an object`);
  const id = (record as { id?: unknown }).id;
  if (id === undefined || id === null || id === '' || id === 0 || NumberIsNaN(id)) throw unusable(kindOf(id), index);
  if (typeof id !== 'string' && typeof id !== 'number')
    throw new Error(
      `the id of the record at index ${index} is neither a text nor a number, but ${kindOf(id)}: convert it to a text`,
    );
  const text = toStoredId(id);
  if (text === '') throw unusable('a text of NUL characters only', index);
  if (text.length > MAX_ID_LENGTH)
    throw new Error(`the id of the record at index ${index} is longer than ${MAX_ID_LENGTH} characters`);
  return text;
}

function unusable(what: string, index: number): Error {
  return new Error(
    `the record at index ${index} has no id that can be used: it is ${what}. Give a text that is not empty, or a number other than 0`,
  );
}

/** What a value is, in words; never its content, which may be long or private. */
function kindOf(value: unknown): string {
  if (value === '') return 'an empty text';
  if (value === undefined || value === null || value === 0 || typeof value === 'boolean' || NumberIsNaN(value))
    return toText(value);
  if (ArrayIsArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Ids are stored as text, which cannot contain NUL. */
export function toStoredId(id: unknown): string {
  return StringPrototypeReplaceAll(toText(id), '\0', '');
}
