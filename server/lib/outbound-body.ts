import type { Readable } from 'node:stream';
import { OutboundError, toOutboundError } from './outbound-error.ts';

/**
 * Reads a response body into memory. Rejects with OutboundError: `ERR_RESPONSE_TOO_LARGE` past the limit
 * (the rest is not read), a network code when the sender stops midway. Each chunk waits for `reserve`.
 */
export async function readBody(
  body: Readable,
  limitBytes: number,
  reserve?: (bytes: number) => Promise<void> | undefined,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > limitBytes)
        throw new OutboundError('ERR_RESPONSE_TOO_LARGE', `The response is larger than ${limitBytes} bytes`);
      await reserve?.(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    throw toOutboundError(error, 'while reading the response', 0);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, sizeBytes);
}

/**
 * The first bytes of a response body, for people to read. Never rejects: a body that breaks off, or is destroyed while
 * it is read, is what came of it until then. The rest is not read.
 */
export async function readStart(body: Readable, limitBytes: number): Promise<{ start: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  body.on('error', () => {
    // Leaving the loop early breaks the rest, which nobody wants.
  });
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > limitBytes) break;
    }
  } catch {
    // It broke off: what came is what there is.
    return { start: Buffer.concat(chunks).subarray(0, limitBytes), isCut: true };
  }
  return { start: Buffer.concat(chunks).subarray(0, limitBytes), isCut: sizeBytes > limitBytes };
}

/** More than this is not worth reading to save a connection. */
const WORTH_READING_BYTES = 65_536;

/** Gives the connection of an unwanted body back, or closes it when the body is long. Never rejects. */
export async function discardBody(body: Readable): Promise<void> {
  body.on('error', () => {
    // Whatever breaks now was not wanted any more.
  });
  try {
    if (!body.readableEnded && 'dump' in body && typeof body.dump === 'function')
      await body.dump({ limit: WORTH_READING_BYTES });
    else body.destroy();
  } catch {
    body.destroy(); // It broke while it was read.
  }
}
