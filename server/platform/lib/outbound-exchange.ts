import { finished, Readable } from 'node:stream';
import { type Dispatcher, errors } from 'undici';
import { OutboundError, toBodyError } from './outbound-error.ts';

/** Status and headers of a response, and its body as it arrives. */
export interface StreamedResponse {
  status: number;
  statusText: string;
  /** Lower-case names; a header sent more than once is a list. */
  headers: Record<string, string | string[] | undefined>;
  body: ResponseBody;
}

/** Number of bytes that are taken from the connection before the body is read. */
const UNREAD_BYTES = 64 * 1024;

/**
 * Sends one request. Resolves when its response begins; rejects with the transport's own errors, or with the reason of the
 * signal. Undici's `request` does the same, but its bodies cost more processor time.
 */
export function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal | undefined,
): Promise<StreamedResponse> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) reject(signal.reason);
    else dispatcher.dispatch(options, new Exchange(resolve, reject, signal));
  });
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (response: StreamedResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #body: ResponseBody | undefined;

  constructor(
    resolve: (response: StreamedResponse) => void,
    reject: (error: unknown) => void,
    signal: AbortSignal | undefined,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
    if (!signal) return;
    this.#onAbort = () => this.#abort(signal.reason);
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal?.aborted) controller.abort(this.#signal.reason);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: StreamedResponse['headers'],
    statusText = '',
  ): void {
    // Informational responses such as 103 are ignored.
    if (status < 200) return;
    this.#body = new ResponseBody(controller, () => this.#ignoreSignal());
    this.#resolve({ status, statusText, headers, body: this.#body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.receive(chunk);
  }

  onResponseEnd(): void {
    this.#body?.complete();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#body) this.#body.destroy(error);
    else {
      this.#ignoreSignal();
      this.#reject(error);
    }
  }

  /** Ends the call at once, also while the request waits for a connection. */
  #abort(reason: Error): void {
    if (this.#body) this.#body.destroy(reason);
    else {
      this.#reject(reason);
      this.#controller?.abort(reason);
    }
  }

  #ignoreSignal(): void {
    if (this.#onAbort) this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

/**
 * A body that waits for its reader. It closes its connection when it is destroyed before its end. `bytes` reads all of it
 * without the cost of a stream.
 */
export class ResponseBody extends Readable {
  readonly #controller: Dispatcher.DispatchController;
  /** Called when the whole body was read, and when it is destroyed. */
  readonly #onRead: () => void;
  /** Chunks that arrived before the body was read. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isStream = false;
  #isComplete = false;
  #whole: PromiseWithResolvers<Buffer> | undefined;

  constructor(controller: Dispatcher.DispatchController, onRead: () => void) {
    super();
    this.#controller = controller;
    this.#onRead = onRead;
    // The body may fail before it is read. Its reader gets the error then.
    this.on('error', ignore);
  }

  receive(chunk: Buffer): void {
    if (this.destroyed) return;
    if (this.#isStream) {
      if (!this.push(chunk)) this.#controller.pause();
      return;
    }
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (!this.#whole && this.#waitingBytes >= UNREAD_BYTES) this.#controller.pause();
  }

  complete(): void {
    this.#isComplete = true;
    if (this.#whole) this.#whole.resolve(this.#takeWaiting());
    else if (this.#isStream) this.push(null);
  }

  /** Resolves to the whole body; for small bodies only. It must not have been read as a stream before. */
  bytes(): Promise<Buffer> {
    if (this.destroyed) return Promise.reject(this.errored ?? new errors.RequestAbortedError());
    if (this.#isComplete) return Promise.resolve(this.#takeWaiting());
    this.#whole ??= Promise.withResolvers();
    this.#controller.resume();
    return this.#whole.promise;
  }

  #takeWaiting(): Buffer {
    this.#onRead();
    const chunks = this.#waiting;
    this.#waiting = [];
    return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, this.#waitingBytes);
  }

  override _read(): void {
    this.#isStream = true;
    const chunks = this.#waiting;
    this.#waiting = [];
    for (const chunk of chunks) this.push(chunk);
    if (this.#isComplete) this.push(null);
    else this.#controller.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#onRead();
    const reason = error ?? new errors.RequestAbortedError();
    this.#whole?.reject(reason);
    if (!this.#isComplete) this.#controller.abort(reason);
    callback(error);
  }
}

function ignore(): void {}

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
