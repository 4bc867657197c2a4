import type { Clock, Timer } from '../../lib/clock.ts';
import { detached } from '../../lib/detached.ts';
import type { Logger } from '../../lib/logger.ts';
import type { SendOutcome } from './collector-client.ts';
import { SpanQueue } from './span-queue.ts';

/** What may wait for a collector that does not answer: some 5,000 spans. */
export const QUEUE_BYTES = 4 * 1024 * 1024;
/** Of one request. */
export const MOST_SPANS = 512;
export const SEND_EVERY_MS = 5000;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;

export interface ExportState {
  /** Spans since the start of the program. */
  sent: number;
  /** Those that a full queue or the collector refused. */
  dropped: number;
  waiting: number;
  lastExport: { at: number; spans: number } | null;
  /** Why the last request failed; null after one that did not. */
  problem: { at: number; message: string; retryAt: number | null } | null;
}

export interface SpanExporterOptions {
  /** Undefined: there is no collector any more. */
  send(spans: readonly string[], signal: AbortSignal): Promise<SendOutcome | undefined>;
  clock: Clock;
  logger: Logger;
  /** Name of the environment, for the program's own log. */
  environment: string;
  mostBytes?: number;
}

/** Sends the spans of one environment, in the background and one request at a time. */
export class SpanExporter {
  readonly #options: SpanExporterOptions;
  readonly #queue: SpanQueue;
  readonly #cut = new AbortController();
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;
  #isStopped = false;
  #failures = 0;
  #sent = 0;
  #dropped = 0;
  #lastExport: ExportState['lastExport'] = null;
  #problem: ExportState['problem'] = null;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
    this.#queue = new SpanQueue(options.mostBytes ?? QUEUE_BYTES);
  }

  get state(): ExportState {
    return {
      sent: this.#sent,
      dropped: this.#dropped,
      waiting: this.#queue.size,
      lastExport: this.#lastExport,
      problem: this.#problem,
    };
  }

  add(span: string): void {
    this.#dropped += this.#queue.push(span);
    this.#schedule();
  }

  /** What waits for a later attempt is sent now: the collector is known to answer. */
  wake(): void {
    if (this.#failures === 0 || this.#sending || this.#isStopped) return;
    this.#failures = 0;
    this.#begin();
  }

  /** Sends what waits, for `withinMs` at most; the rest is lost. */
  async stop(withinMs: number): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    const limit = this.#options.clock.after(withinMs, () => this.#cut.abort());
    await this.#sending;
    if (!this.#cut.signal.aborted) await this.#drain();
    limit.cancel();
    this.#cancelTimer();
    const { environment, logger } = this.#options;
    if (this.#queue.size > 0)
      logger.warn({ environment, spans: this.#queue.size }, 'spans were not sent to the collector before the stop');
  }

  #schedule(): void {
    if (this.#sending || this.#isStopped) return;
    if (this.#queue.size >= MOST_SPANS && this.#failures === 0) this.#begin();
    else this.#timer ??= this.#options.clock.after(SEND_EVERY_MS, () => this.#begin());
  }

  #begin(): void {
    this.#cancelTimer();
    this.#sending = detached(() => this.#drain()).finally(() => {
      this.#sending = undefined;
      if (this.#queue.size > 0) this.#schedule();
    });
  }

  #cancelTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** All that waits now; what comes meanwhile has its own turn, so that requests do not get small. */
  async #drain(): Promise<void> {
    for (let left = this.#queue.size; left > 0; ) {
      const spans = this.#queue.take(MOST_SPANS);
      left -= spans.length;
      const outcome = await this.#send(spans);
      if (outcome) this.#note(spans, outcome);
      else this.#queue.clear();
      if (outcome?.kind !== 'accepted') return;
    }
  }

  /** Never rejects: nobody waits for it. */
  async #send(spans: readonly string[]): Promise<SendOutcome | undefined> {
    const { environment, logger, send } = this.#options;
    try {
      return await send(spans, this.#cut.signal);
    } catch (error) {
      logger.error({ err: error, environment }, 'spans could not be sent to the collector');
      return { kind: 'refused', status: 0, message: 'Homeport could not send them. Its log says why.' };
    }
  }

  #note(spans: readonly string[], outcome: SendOutcome): void {
    const now = this.#options.clock.now();
    if (outcome.kind === 'accepted') {
      this.#failures = 0;
      this.#sent += spans.length - outcome.rejected;
      this.#dropped += outcome.rejected;
      this.#lastExport = { at: now, spans: spans.length - outcome.rejected };
      this.#problem = outcome.message === undefined ? null : { at: now, message: outcome.message, retryAt: null };
      return;
    }
    if (this.#problem === null) {
      // Not what the collector said: it may repeat what it was sent.
      const { environment, logger } = this.#options;
      logger.warn({ environment, status: outcome.status, outcome: outcome.kind }, 'the collector did not take spans');
    }
    if (outcome.kind === 'refused') {
      this.#dropped += spans.length;
      this.#problem = { at: now, message: outcome.message, retryAt: null };
      return;
    }
    this.#dropped += this.#queue.putBack(spans);
    const waitMs = outcome.waitMs ?? Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LONGEST_RETRY_MS);
    this.#failures += 1;
    this.#problem = { at: now, message: outcome.message, retryAt: now + waitMs };
    if (!this.#isStopped) this.#timer = this.#options.clock.after(waitMs, () => this.#begin());
  }
}
