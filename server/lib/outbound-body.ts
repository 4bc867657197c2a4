import type { Readable } from 'node:stream';
import { OutboundError, toBodyError } from './outbound-error.ts';

/**
 * Reads a response body into memory. Rejects with OutboundError: `ERR_RESPONSE_TOO_LARGE` beyond the limit (the rest is
 * not read), or a network code when the sender stops midway. Each chunk waits for `reserve`; `watch` receives it.
 */
export async function readBody(
  body: Readable,
  limitBytes: number,
  reserve?: (bytes: number) => Promise<void> | undefined,
  watch?: (chunk: Uint8Array) => void,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      watch?.(chunk);
      if (sizeBytes > limitBytes)
        throw new OutboundError('ERR_RESPONSE_TOO_LARGE', `The response is larger than ${limitBytes} bytes`);
      await reserve?.(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    throw toBodyError(error);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, sizeBytes);
}

/**
 * Reads a body with an announced length that is small. Faster than `readBody`. Rejects with OutboundError when the
 * sender stops midway. The transport never delivers more bytes than were announced.
 */
export async function readAnnounced(body: Readable & { bytes?: () => Promise<Uint8Array> }): Promise<Uint8Array> {
  if (!body.bytes) return readBody(body, Number.POSITIVE_INFINITY);
  try {
    return await body.bytes();
  } catch (error) {
    throw toBodyError(error);
  }
}

/**
 * Reads the first bytes of a response body, to show them to people. Never rejects: when the body breaks off or is
 * destroyed, it resolves to the bytes that arrived. The rest is not read.
 */
export async function readStart(body: Readable, limitBytes: number): Promise<{ start: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  body.on('error', () => {
    // Leaving the loop early cancels the rest, which is not needed.
  });
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > limitBytes) break;
    }
  } catch {
    // The body broke off; the bytes that arrived are the result.
    return { start: Buffer.concat(chunks).subarray(0, limitBytes), isCut: true };
  }
  return { start: Buffer.concat(chunks).subarray(0, limitBytes), isCut: sizeBytes > limitBytes };
}

/** Reading more than this, or waiting longer, costs more than a new connection. */
const WORTH_READING_BYTES = 65_536;
const WORTH_WAITING_MS = 1_000;

/** Releases the connection of an unwanted body, or closes it when the body is long or slow. Never rejects. */
export async function discardBody(body: Readable): Promise<void> {
  body.on('error', () => {
    // Errors of an unwanted body do not matter.
  });
  try {
    if (!body.readableEnded && 'dump' in body && typeof body.dump === 'function')
      await body.dump({
        limit: WORTH_READING_BYTES,
        signal: AbortSignal.timeout(WORTH_WAITING_MS),
      });
    else body.destroy();
  } catch {
    body.destroy(); // The body broke off while it was read.
  }
}
