import type { ResponseTap, SentTraffic } from './operation.ts';

/** Size of a stored body (ui.md 6.16). */
export const MAX_BODY_BYTES = 256_000;
/** Bytes read beyond it, so that a secret at the cut is found completely. */
export const CUT_MARGIN_BYTES = 8 * 1024;

/** The beginning of one body. */
export interface CollectedBody {
  contentType: string | null;
  /** Encoding of the bytes; undefined for plain ones. */
  contentEncoding: string | undefined;
  /** Size of the whole body, as far as it arrived. */
  sizeBytes: number;
  chunks: Buffer[];
  /** True when more arrived than is kept. */
  isCut: boolean;
  /** True when the sender stopped midway. */
  isBroken: boolean;
}

interface TapOptions {
  id: string;
  sent: SentTraffic;
  /** Reserves some of the memory that all recordings share; false when none is left. */
  hold(bytes: number): boolean;
  onEnd(request: CollectedBody | null, response: CollectedBody | null): void;
}

/**
 * Collects the beginnings of a request's body and its response's body. Bytes are copied, because their owner may reuse
 * them.
 */
export class TrafficTap implements ResponseTap {
  readonly id: string;
  readonly #hold: TapOptions['hold'];
  readonly #onEnd: TapOptions['onEnd'];
  readonly #request: CollectedBody | null;
  readonly #response: CollectedBody | null;
  #keptBytes = 0;
  #hasEnded = false;

  constructor({ id, sent, hold, onEnd }: TapOptions) {
    this.id = id;
    this.#hold = hold;
    this.#onEnd = onEnd;
    this.#request = this.#collectRequest(sent);
    this.#response = sent.response ? emptyBody(sent.response) : null;
  }

  #collectRequest({ body, headers }: SentTraffic): CollectedBody | null {
    if (body === undefined || body.length === 0) return null;
    const limit = MAX_BODY_BYTES + CUT_MARGIN_BYTES;
    const collected = emptyBody(headers);
    collected.sizeBytes = Buffer.byteLength(body);
    // A text has at least as many bytes as characters, so a long text need not be encoded completely.
    const start = Buffer.from(typeof body === 'string' ? body.slice(0, limit) : body.subarray(0, limit));
    const kept = start.subarray(0, limit);
    collected.isCut = kept.length < collected.sizeBytes;
    if (this.#hold(kept.length)) collected.chunks.push(kept);
    else collected.isCut = true;
    return collected;
  }

  take(chunk: Uint8Array): void {
    const response = this.#response;
    if (!response || this.#hasEnded) return;
    response.sizeBytes += chunk.length;
    if (response.isCut) return;
    const kept = Math.min(chunk.length, MAX_BODY_BYTES + CUT_MARGIN_BYTES - this.#keptBytes);
    response.isCut = kept < chunk.length;
    if (kept === 0) return;
    if (this.#hold(kept)) response.chunks.push(Buffer.from(chunk.subarray(0, kept)));
    else response.isCut = true;
    this.#keptBytes += kept;
  }

  end(isBroken = false): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#response) this.#response.isBroken = isBroken;
    this.#onEnd(this.#request, this.#response);
  }
}

function emptyBody(headers: Record<string, string | string[] | undefined>): CollectedBody {
  return {
    contentType: textOf(headers['content-type']) ?? null,
    contentEncoding: textOf(headers['content-encoding']),
    sizeBytes: 0,
    chunks: [],
    isCut: false,
    isBroken: false,
  };
}

const textOf = (value: string | string[] | undefined): string | undefined =>
  value === undefined ? undefined : String(value);
