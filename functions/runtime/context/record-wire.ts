import type { WireRecord } from '../bridge.ts';

const LONGEST_ID = 255;

/** Checks the id rules of functions.md 3.6 and serialises the record once. */
export function toWireRecord(record: unknown): WireRecord {
  const id = idOf(record);
  const own = record as Record<string, unknown>;
  delete own['_nango_metadata'];
  const json = own['id'] === id ? JSON.stringify(own) : JSON.stringify({ ...own, id });
  return { id, json };
}

/** The id as stored: text without NUL. */
export function idOf(record: unknown): string {
  if (typeof record !== 'object' || record === null) throw new Error('a record is missing');
  const id = (record as { id?: unknown }).id;
  if (id === undefined || id === null || id === '' || id === 0) throw new Error('a record has no id');
  if (typeof id !== 'string' && typeof id !== 'number') throw new Error(`the id of a record is a ${typeof id}`);
  const text = String(id).replaceAll('\0', '');
  if (text === '') throw new Error('a record has no id');
  if (text.length > LONGEST_ID) throw new Error(`the id of a record is longer than ${LONGEST_ID} characters`);
  return text;
}
