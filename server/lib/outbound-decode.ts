import { pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

/** Sent when the caller names no encodings. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br, zstd';

// A body that was cut short is decoded as far as possible, instead of failing at its end.
const LENIENT = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const LENIENT_BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

const DECODERS: Record<string, () => Transform> = {
  gzip: () => createGunzip(LENIENT),
  'x-gzip': () => createGunzip(LENIENT),
  deflate: () => createInflate(LENIENT),
  br: () => createBrotliDecompress(LENIENT_BROTLI),
  zstd: () => createZstdDecompress(),
};

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
