import type { FixtureEntry } from './fixture-file.ts';

/** Bytes as `JSON.stringify` writes a Buffer. */
interface WrittenBytes {
  type: 'Buffer';
  data: number[];
}

/** The value that a function finds in `data`: recorded bytes become bytes again. */
export function recordedData({ response }: FixtureEntry): unknown {
  return isWrittenBytes(response) ? Buffer.from(response.data) : response;
}

/** The body as a provider would have sent it, so that the runtime reads `response` out of it. */
export function recordedBody({ response }: FixtureEntry): string | Buffer {
  if (isWrittenBytes(response)) return Buffer.from(response.data);
  if (response === undefined || response === null) return response === null ? 'null' : '';
  if (typeof response !== 'string') return JSON.stringify(response);
  return readsAsScalar(response) ? JSON.stringify(response) : response;
}

/** Text such as `12` was quoted by its provider; text that holds an object was asked for as text. */
function readsAsScalar(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value !== 'object' || value === null;
  } catch {
    // Not JSON: nothing would read it as anything but text.
    return false;
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
