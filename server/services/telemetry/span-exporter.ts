import type { Clock, Timer } from '../../lib/clock.ts';
import { detached } from '../../lib/detached.ts';
import type { Logger } from '../../lib/logger.ts';
import type { SendOutcome } from './collector-client.ts';
import { SpanQueue } from './span-queue.ts';

/** Limit for spans that wait for a collector, about 5,000 spans. */
export const QUEUE_BYTES = 4 * 1024 * 1024;
/** Limit for one request. */
export const MOST_SPANS = 512;
export const SEND_EVERY_MS = 5000;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;

export interface ExportState {
  /** Number of spans since the start of the program. */
  sent: number;
  /** Number of spans that did not fit into the queue, or that the collector refused. */
  dropped: number;
  waiting: number;
  lastExport: { at: number; spans: number } | null;
  /** Why the last request failed; null after a success. */
  problem: { at: number; message: string; retryAt: number | null } | null;
}

export interface SpanExporterOptions {
  /** Undefined when the collector was removed. */
  send(spans: readonly string[], signal: AbortSignal): Promise<SendOutcome | undefined>;
  clock: Clock;
  logger: Logger;
  /** Name of the environment, for the program's own log. */
  environment: string;
  mostBytes?: number;
}

/** Sends the spans of one environment in the background, one request at a time. */
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

  /** Sends waiting spans now, because the collector is known to answer. */
  wake(): void {
    if (this.#failures === 0 || this.#sending || this.#isStopped) return;
    this.#failures = 0;
    this.#begin();
  }

  /** Sends waiting spans for at most `withinMs`; the rest is dropped. */
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

  /** Sends all spans that wait now. Later ones wait for the next turn, so that requests do not get small. */
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

  /** Never rejects, because it is not awaited. */
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
      // The collector's message is not logged: it may repeat the spans.
      const { environment, logger } = this.#options;
      logger.warn({ environment, status: outcome.status, outcome: outcome.kind }, 'the collector did not accept spans');
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
