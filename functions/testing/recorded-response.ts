import type { FixtureEntry } from './fixture-file.ts';

/** Bytes in the form in which `JSON.stringify` writes a Buffer. */
interface WrittenBytes {
  type: 'Buffer';
  data: number[];
}

/** The value that a function finds in `data`. Recorded bytes become bytes again. */
export function recordedData({ response }: FixtureEntry): unknown {
  return isWrittenBytes(response) ? Buffer.from(response.data) : response;
}

/** The body as a provider would have sent it, from which the runtime reads `response`. */
export function recordedBody({ response }: FixtureEntry): string | Buffer {
  if (isWrittenBytes(response)) return Buffer.from(response.data);
  if (response === undefined || response === null) return response === null ? 'null' : '';
  if (typeof response !== 'string') return JSON.stringify(response);
  return readsAsScalar(response) ? JSON.stringify(response) : response;
}

/** The body from which the runtime reads exactly the recorded value, as the mocks return it. */
export function mockedBody(entry: FixtureEntry, expect: 'text' | 'bytes'): string | Buffer {
  const { response } = entry;
  if (typeof response !== 'string') return recordedBody(entry);
  if (expect === 'text') return readJson(response) === undefined ? response : JSON.stringify(response);
  return isBase64(response) ? Buffer.from(response, 'base64') : response;
}

/** Functions that request bytes read text as base64 (functions.md 4.3). */
function isBase64(text: string): boolean {
  return text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

/** Text such as `12` was quoted by its provider. Text that contains an object was requested as text. */
function readsAsScalar(text: string): boolean {
  const value = readJson(text);
  return value !== undefined && (typeof value !== 'object' || value === null);
}

/** Undefined for a text that can be read only as text. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON.
    return undefined;
  }
}

function isWrittenBytes(value: unknown): value is WrittenBytes {
  return (
    typeof value === 'object' &&
    value !== null &&
    (value as WrittenBytes).type === 'Buffer' &&
    Array.isArray((value as WrittenBytes).data)
  );
}
