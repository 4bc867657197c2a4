import { finished, type Readable } from 'node:stream';
import { OutboundError, toBodyError } from './outbound-error.ts';
import { ResponseBody } from './outbound-exchange.ts';

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
 * Reads a small body whose length the sender announced (`content-length`). Faster than `readBody`. Rejects with
 * OutboundError when the sender stops midway. The transport never delivers more bytes than were announced.
 */
export async function readAnnounced(body: Readable): Promise<Buffer> {
  if (!(body instanceof ResponseBody)) return readBody(body, Number.POSITIVE_INFINITY);
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
    // Leaving the loop before the end destroys the body; that error is expected.
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
export function discardBody(body: Readable): Promise<void> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => body.destroy(), WORTH_WAITING_MS).unref();
    finished(body, { writable: false }, () => {
      clearTimeout(limit);
      resolve();
    });
    // A decoded body may grow without limit.
    if (!(body instanceof ResponseBody)) return void body.destroy();
    let leftBytes = WORTH_READING_BYTES;
    body.on('data', (chunk: Buffer) => {
      leftBytes -= chunk.length;
      if (leftBytes < 0) body.destroy();
    });
  });
}
