import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { HomeportError } from '../lib/homeport-error.ts';

/** Largest body of a caller who is not known, in bytes. Bodies up to this size are read before a refusal is answered. */
export const SMALL_BODY_BYTES = 100_000;
/** Largest body of a caller who is known (http-api.md 1.1), in bytes; also what it inflates to. */
export const LARGE_BODY_BYTES = 75 * 1024 * 1024;

/** No byte for this long: the client has stalled. */
const IDLE_MS = 30_000;
/** Clients that write all before they read get this long to notice the answer … */
const LINGER_MS = 1000;
/** … and so many bytes are taken from them meanwhile; more waits on their side. */
const LINGER_BYTES = 64 * 1024 * 1024;
const LINGER_LOOK_MS = 50;
const MOST_ENCODINGS = 3;

const DECODERS: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

export interface BodyRules {
  /** Of the body as it came, of what it inflates to, and of every step between, in bytes. */
  limitBytes: number;
  /** Whether `Content-Encoding` is undone; if not, an encoded body is refused. */
  inflates: boolean;
  /** Longest wait for the next bytes, in milliseconds. Default 30 s. */
  idleMs?: number;
}

/** Whether the request announces a body, be it an empty one. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Whether the body is known to be larger than `bytes`, or is encoded, so that its size is not known. */
export function hasBodyOver(bytes: number, { headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > bytes || headers['content-encoding'] !== undefined;
}

/**
 * The bytes of a body, decoded. Throws `request_too_large` as soon as a limit is passed (at once by Content-Length),
 * `request_timeout` when the client stalls, `invalid_content_type` for an encoding that is not undone here, and
 * `invalid_body` when the body breaks off or cannot be decoded. The rest of a body that is refused is left unread.
 */
export async function readRequestBody(
  request: IncomingMessage,
  response: ServerResponse,
  { limitBytes, inflates, idleMs = IDLE_MS }: BodyRules,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  const decoders = decodersOf(request.headers['content-encoding'], inflates);
  // Clients that ask first (`Expect: 100-continue`) wait for an answer before they send.
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
      // Also comes after the whole body, while it is still being decoded.
      if (!request.readableEnded) fail(unreadable('it breaks off'));
    };
    const onEnd = (): void => {
      // A decoder ends early when something follows what it decodes.
      if (!request.readableEnded) return fail(unreadable('more follows its end'));
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
      // Stays: an error that comes late would otherwise end the process.
      stream.on('error', (error) => fail(unreadable(error.message)));
      const next = decoders[index];
      if (next) stream.pipe(next);
    }
  });
}

/** One decoder per encoding, in the order in which they are undone. */
function decodersOf(contentEncoding: string | undefined, inflates: boolean): Transform[] {
  const names = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > 0 && !inflates) throw badEncoding('An encoded body is not taken here.');
  if (names.length > MOST_ENCODINGS) throw badEncoding(`A body may be encoded ${MOST_ENCODINGS} times at most.`);
  const factories = names.reverse().map((name) => DECODERS[name]);
  const known = factories.filter((factory) => factory !== undefined);
  if (known.length < factories.length) throw badEncoding('The encoding of the body is not known.');
  return known.map((create) => create());
}

/** Whether more of the body may follow than Node should read off on its own after the answer. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.complete || !announcesBody(request)) return false;
  const length = request.headers['content-length'];
  return length === undefined || Number(length) > SMALL_BODY_BYTES;
}

/**
 * Lets the answer to a request whose body is not read close the connection. The answer and the end of our side go out at
 * once; what still comes is thrown away for a moment. Closed at once, the system would reset the connection, and a client
 * that is still writing would lose the answer.
 */
export function closeUnread(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  response.setHeader('Connection', 'close');
  // Node calls it when the answer is out, as `Connection: close` was promised.
  socket.destroySoon = () => {
    // All of it came meanwhile: nothing is left that a close could reset.
    if (request.readableEnded) return void socket.destroy();
    request.once('end', () => socket.destroy());
    const readBytes = socket.bytesRead;
    const cutAt = performance.now() + LINGER_MS;
    const look = setInterval(() => {
      if (performance.now() > cutAt) socket.destroy();
      else if (socket.bytesRead - readBytes > LINGER_BYTES) socket.pause();
    }, LINGER_LOOK_MS);
    socket.once('close', () => clearInterval(look));
    request.resume();
    socket.end();
  };
}

function tooLarge(limitBytes: number): HomeportError {
  const limit = limitBytes < 1_000_000 ? `${limitBytes / 1000} kB` : `${Math.floor(limitBytes / 1_048_576)} MB`;
  return new HomeportError('request_too_large', `The body is larger than the limit of ${limit}.`);
}

function stalled(idleMs: number): HomeportError {
  return new HomeportError('request_timeout', `No more of the body came for ${idleMs / 1000} s.`);
}

function unreadable(reason: string): HomeportError {
  return new HomeportError('invalid_body', `The body cannot be read: ${reason}.`);
}

function badEncoding(message: string): HomeportError {
  return new HomeportError('invalid_content_type', message);
}
