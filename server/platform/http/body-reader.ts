import { open } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { HomeportError } from '../lib/homeport-error.ts';

/** Largest body of an unauthenticated caller, in bytes. A body up to this size is read before a refusal is answered. */
export const SMALL_BODY_BYTES = 100_000;
/** Largest body of an authenticated caller (http-api.md 1.1), in bytes; the limit also holds after decompression. */
export const LARGE_BODY_BYTES = 75 * 1024 * 1024;

/** When no byte arrives for this long, the client counts as stalled. */
const IDLE_MS = 30_000;
/** Some clients send the whole body before they read the response. They get this long to notice a refusal. */
const LINGER_MS = 1000;
/** Largest number of bytes that are read and thrown away in that time. Further bytes stay unread. */
const LINGER_BYTES = 64 * 1024 * 1024;
const LINGER_CHECK_MS = 50;
const MAX_ENCODINGS = 3;

const DECODERS: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

export interface BodyRules {
  /** Limit of the body as sent, of its decoded form, and of every decoding step between, in bytes. */
  limitBytes: number;
  /** Whether `Content-Encoding` is decoded. If not, an encoded body is refused. */
  inflates: boolean;
  /** Longest wait for the next bytes, in milliseconds. Default 30 s. */
  idleMs?: number;
}

/** Whether the request announces a body, even an empty one. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Whether the body is larger than `bytes` by its Content-Length, or encoded, so that its size is unknown. */
export function hasBodyOver(bytes: number, { headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > bytes || headers['content-encoding'] !== undefined;
}

/** Whether a large body is expected. GET, HEAD and OPTIONS have small bodies only, for every caller. */
export function expectsLargeBody({ method }: IncomingMessage): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}

/**
 * Resolves to the decoded bytes of a body. Throws `request_too_large` as soon as a limit is passed (at once by
 * Content-Length), `request_timeout` when the client stalls, `invalid_content_type` for an encoding that is not decoded
 * here, and `invalid_body` when the body breaks off or cannot be decoded. The rest of a refused body stays unread.
 */
export async function readRequestBody(
  request: IncomingMessage,
  response: ServerResponse,
  { limitBytes, inflates, idleMs = IDLE_MS }: BodyRules,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  const decoders = decodersOf(request.headers['content-encoding'], inflates);
  // Clients that ask first (`Expect: 100-continue`) wait for a response before they send.
  if (request.headers.expect !== undefined) response.writeContinue();
  return collect([request, ...decoders], { limitBytes, idleMs });
}

function collect(
  [request, ...decoders]: [IncomingMessage, ...Transform[]],
  { limitBytes, idleMs }: { limitBytes: number; idleMs: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const streams: Readable[] = [request, ...decoders];
    const last = decoders.at(-1) ?? request;
    const chunks: Buffer[] = [];
    const stops: Array<() => void> = [];
    const idle = setTimeout(() => fail(stalled(idleMs)), idleMs);

    const release = (): void => {
      clearTimeout(idle);
      for (const stop of stops) stop();
      for (const decoder of decoders) decoder.destroy();
    };
    const fail = (error: HomeportError): void => {
      release();
      request.pause();
      reject(error);
    };
    const onClose = (): void => {
      // This event can also come after the whole body, while the body is still being decoded.
      if (!request.readableEnded) fail(unreadable('it is incomplete'));
    };
    const onEnd = (): void => {
      // A decoder ends early when other bytes follow the encoded data.
      if (!request.readableEnded) return fail(unreadable('it continues after its end'));
      release();
      resolve(Buffer.concat(chunks));
    };

    request.once('close', onClose);
    last.once('end', onEnd);
    stops.push(
      () => request.off('close', onClose),
      () => last.off('end', onEnd),
    );
    for (const [index, stream] of streams.entries()) {
      let sizeBytes = 0;
      const onData = (chunk: Buffer): void => {
        sizeBytes += chunk.length;
        if (stream === request) idle.refresh();
        if (sizeBytes > limitBytes) fail(tooLarge(limitBytes));
        else if (stream === last) chunks.push(chunk);
      };
      stream.on('data', onData);
      stops.push(() => stream.off('data', onData).unpipe());
      // The listener stays: without it, a late error would end the process.
      stream.on('error', (error) => fail(unreadable(error.message)));
      const next = decoders[index];
      if (next) stream.pipe(next);
    }
  });
}

/**
 * Saves the decoded body in a new file, piece by piece. Throws the same errors as `readRequestBody`; the caller removes
 * the file in each case.
 */
export async function saveRequestBody(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  { limitBytes, idleMs = IDLE_MS }: Omit<BodyRules, 'inflates'>,
): Promise<void> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  const decoders = decodersOf(request.headers['content-encoding'], true);
  if (request.headers.expect !== undefined) response.writeContinue();
  const last = decoders.reduce<Readable>((stream, decoder) => stream.pipe(decoder), request);
  request.once('close', () => {
    if (!request.readableEnded) last.destroy(new Error('it is incomplete'));
  });
  // The iterator must not close the connection, over which the refusal is answered.
  const pieces: AsyncIterator<Buffer> = last.iterator({ destroyOnReturn: false });
  const file = await open(path, 'wx', 0o600);
  try {
    let sizeBytes = 0;
    for (let piece = await nextPiece(pieces, idleMs); !piece.done; piece = await nextPiece(pieces, idleMs)) {
      sizeBytes += piece.value.length;
      if (sizeBytes > limitBytes) throw tooLarge(limitBytes);
      await file.write(piece.value);
    }
  } finally {
    await file.close();
    for (const decoder of decoders) decoder.destroy();
  }
}

async function nextPiece(pieces: AsyncIterator<Buffer>, idleMs: number): Promise<IteratorResult<Buffer>> {
  const next = pieces.next().catch((error: Error) => {
    throw unreadable(error.message);
  });
  let timer: NodeJS.Timeout | undefined;
  const idle = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(stalled(idleMs)), idleMs);
  });
  try {
    return await Promise.race([next, idle]);
  } finally {
    clearTimeout(timer);
    next.catch(() => undefined);
  }
}

/** Returns one decoder per encoding, in the order of decoding. */
function decodersOf(contentEncoding: string | undefined, inflates: boolean): Transform[] {
  const names = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > 0 && !inflates) throw badEncoding('This route does not accept an encoded body.');
  if (names.length > MAX_ENCODINGS) throw badEncoding(`A body may be encoded ${MAX_ENCODINGS} times at most.`);
  const factories = names.reverse().map((name) => DECODERS[name]);
  const known = factories.filter((factory) => factory !== undefined);
  if (known.length < factories.length) throw badEncoding('The encoding of the body is not known.');
  return known.map((create) => create());
}

/** Whether the unread rest of the body may be larger than what Node reads by itself after the response. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.complete || !announcesBody(request)) return false;
  const length = request.headers['content-length'];
  return length === undefined || Number(length) > SMALL_BODY_BYTES;
}

/**
 * Closes the connection after the response to a request whose body is not read. The response and the end of our side are
 * sent at once; bytes that still arrive are discarded for a moment. An immediate close would make the system reset the
 * connection, and a client that is still writing would lose the response.
 */
export function closeUnread(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  response.setHeader('Connection', 'close');
  // Node calls this method when the response is sent, because the response promises `Connection: close`.
  socket.destroySoon = () => {
    // The whole body has arrived, so closing cannot reset the connection.
    if (request.readableEnded) return void socket.destroy();
    request.once('end', () => socket.destroy());
    const readBytes = socket.bytesRead;
    const cutAt = performance.now() + LINGER_MS;
    const timer = setInterval(() => {
      if (performance.now() > cutAt) socket.destroy();
      else if (socket.bytesRead - readBytes > LINGER_BYTES) socket.pause();
    }, LINGER_CHECK_MS);
    socket.once('close', () => clearInterval(timer));
    request.resume();
    socket.end();
  };
}

function tooLarge(limitBytes: number): HomeportError {
  const limit = limitBytes < 1_000_000 ? `${limitBytes / 1000} kB` : `${Math.floor(limitBytes / 1_048_576)} MB`;
  return new HomeportError('request_too_large', `The body is larger than the limit of ${limit}.`);
}

function stalled(idleMs: number): HomeportError {
  return new HomeportError('request_timeout', `The rest of the body did not arrive within ${idleMs / 1000} s.`);
}

function unreadable(reason: string): HomeportError {
  return new HomeportError('invalid_body', `The body cannot be read: ${reason}.`);
}

function badEncoding(message: string): HomeportError {
  return new HomeportError('invalid_content_type', message);
}
