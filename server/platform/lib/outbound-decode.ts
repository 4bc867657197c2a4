import { Duplex, pipeline, Readable } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';

/** Sent when the caller names no encodings. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br, zstd';

// A body that was cut short is decoded as far as possible, instead of failing at its end.
const LENIENT = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const LENIENT_BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };
const LENIENT_ZSTD = { flush: constants.ZSTD_e_flush, finishFlush: constants.ZSTD_e_flush };

const DECODERS: Record<string, () => Duplex> = {
  gzip: () => createGunzip(LENIENT),
  'x-gzip': () => createGunzip(LENIENT),
  deflate: createDeflateDecoder,
  br: () => createBrotliDecompress(LENIENT_BROTLI),
  zstd: createZstdDecoder,
};

/**
 * `deflate` means the zlib format (RFC 9110, 8.4.1.2), but some servers send the bare compressed data. As in browsers,
 * the first two bytes tell which one it is.
 */
function createDeflateDecoder(): Duplex {
  return Duplex.from(async function* (source: AsyncIterable<Buffer>) {
    const chunks = source[Symbol.asyncIterator]();
    let start = Buffer.alloc(0);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      start = Buffer.concat([start, next.value]);
      if (start.length >= 2) break;
    }
    const isZlib = start.length < 2 || ((start[0] ?? 0) % 16 === 8 && start.readUInt16BE(0) % 31 === 0);
    const decoder = isZlib ? createInflate(LENIENT) : createInflateRaw(LENIENT);
    const all = async function* (): AsyncGenerator<Buffer> {
      yield start;
      yield* { [Symbol.asyncIterator]: () => chunks };
    };
    pipeline([Readable.from(all()), decoder], () => {
      // The error also destroys `decoder`, where the reader receives it.
    });
    yield* decoder;
  });
}

/** A body may consist of several frames, one after the other (RFC 8878, 3). Node's decoder ends with the first. */
function createZstdDecoder(): Duplex {
  return Duplex.from(async function* (source: AsyncIterable<Buffer>) {
    const chunks = source[Symbol.asyncIterator]();
    let rest: Buffer | undefined;
    const next = async (): Promise<Buffer | undefined> => {
      const chunk = rest ?? (await chunks.next()).value;
      rest = undefined;
      return chunk;
    };
    do {
      const decoder = createZstdDecompress(LENIENT_ZSTD);
      let fed = 0;
      const feed = async (): Promise<void> => {
        for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
          fed += chunk.length;
          const written = chunk;
          await new Promise<void>((resolve) => decoder.write(written, () => resolve()));
          if (decoder.destroyed) return;
          // What the decoder leaves over belongs to the next frame; it has ended itself.
          const left = fed - decoder.bytesWritten;
          if (left > 0) {
            rest = written.subarray(written.length - left);
            return;
          }
        }
        decoder.end();
      };
      const feeding = feed().catch((error: Error) => void decoder.destroy(error));
      yield* decoder;
      await feeding;
    } while (rest !== undefined);
  });
}

/** Each encoding costs memory; senders use one, rarely two. */
const MAX_ENCODINGS = 3;

/**
 * The decoded body; undefined when there is nothing to decode: no encoding, an unknown one, or too many. Encodings are
 * undone in reverse order. Destroying the decoded body destroys the source, and the other way round.
 */
export function decodeBody(body: Readable, contentEncoding: string | undefined): Readable | undefined {
  const names = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > MAX_ENCODINGS) return undefined;
  const decoders = names.reverse().map((name) => DECODERS[name]?.());
  const known = decoders.filter((decoder) => decoder !== undefined);
  const last = known.at(-1);
  if (last === undefined || known.length !== names.length) return undefined;
  pipeline([body, ...known], () => {
    // The error also destroys `last`, where the reader receives it.
  });
  return last;
}
