import type { AnswerTap, SentTraffic } from './operation.ts';

/** Of a body, as it is kept (ui.md 6.16). */
export const MOST_BODY_BYTES = 256_000;
/** Read beyond it, so that a secret which the cut divides is found whole. */
export const CUT_MARGIN_BYTES = 8 * 1024;

/** The beginning of one body. */
export interface CollectedBody {
  contentType: string | null;
  /** The bytes are still encoded like this. */
  contentEncoding: string | undefined;
  /** Of the whole body, as far as it came. */
  sizeBytes: number;
  chunks: Buffer[];
  /** More came than is here. */
  isCut: boolean;
  /** The sender stopped midway. */
  isBroken: boolean;
}

interface TapOptions {
  id: string;
  sent: SentTraffic;
  /** Takes of the memory that all recordings share; false when none is left. */
  hold(bytes: number): boolean;
  onEnd(request: CollectedBody | null, answer: CollectedBody | null): void;
}

/** Collects the beginnings of one request's body and of its answer's. Bytes are copied: whose they are may go on with them. */
export class TrafficTap implements AnswerTap {
  readonly id: string;
  readonly #hold: TapOptions['hold'];
  readonly #onEnd: TapOptions['onEnd'];
  readonly #request: CollectedBody | null;
  readonly #answer: CollectedBody | null;
  #keptBytes = 0;
  #hasEnded = false;

  constructor({ id, sent, hold, onEnd }: TapOptions) {
    this.id = id;
    this.#hold = hold;
    this.#onEnd = onEnd;
    this.#request = this.#collectRequest(sent);
    this.#answer = sent.answer ? emptyBody(sent.answer) : null;
  }

  #collectRequest({ body, headers }: SentTraffic): CollectedBody | null {
    if (body === undefined || body.length === 0) return null;
    const limit = MOST_BODY_BYTES + CUT_MARGIN_BYTES;
    const collected = emptyBody(headers);
    collected.sizeBytes = Buffer.byteLength(body);
    // As many characters have at least as many bytes: a long text is not encoded to its end.
    const start = Buffer.from(typeof body === 'string' ? body.slice(0, limit) : body.subarray(0, limit));
    const kept = start.subarray(0, limit);
    collected.isCut = kept.length < collected.sizeBytes;
    if (this.#hold(kept.length)) collected.chunks.push(kept);
    else collected.isCut = true;
    return collected;
  }

  take(chunk: Uint8Array): void {
    const answer = this.#answer;
    if (!answer || this.#hasEnded) return;
    answer.sizeBytes += chunk.length;
    if (answer.isCut) return;
    const kept = Math.min(chunk.length, MOST_BODY_BYTES + CUT_MARGIN_BYTES - this.#keptBytes);
    answer.isCut = kept < chunk.length;
    if (kept === 0) return;
    if (this.#hold(kept)) answer.chunks.push(Buffer.from(chunk.subarray(0, kept)));
    else answer.isCut = true;
    this.#keptBytes += kept;
  }

  end(isBroken = false): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#answer) this.#answer.isBroken = isBroken;
    this.#onEnd(this.#request, this.#answer);
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
