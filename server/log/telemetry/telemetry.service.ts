import type { Environment, EnvironmentService } from '../../environments/environment.service.ts';
import type { Clock, Timer } from '../../platform/lib/clock.ts';
import { detached } from '../../platform/lib/detached.ts';
import { HomeportError, isVaultLocked } from '../../platform/lib/homeport-error.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import type { Logger } from '../../platform/lib/logger.ts';
import type { OutboundHttp } from '../../platform/lib/outbound-http.ts';
import type { LogEvents } from '../log-events.ts';
import type { OperationListRow } from '../operations.store.ts';
import { createCollectorClient, type SendOutcome, tracesUrl } from './collector-client.ts';
import { operationSpan, requestSpan, testSpan } from './operation-spans.ts';

/** The result of sending a test span to the collector. */
export interface TestSpanResult {
  /** Address of the request. */
  url: string;
  /** For finding the span in the collector. */
  traceId: string;
  durationMs: number;
  outcome: SendOutcome;
}

const NOTHING: ExportState = { sent: 0, dropped: 0, waiting: 0, lastExport: null, problem: null };

export type TelemetryService = ReturnType<typeof createTelemetryService>;

/** Exports log operations as traces, for environments with a collector (design.md 7.47). */
export function createTelemetryService(use: {
  http: Pick<OutboundHttp, 'request'>;
  environments: Pick<EnvironmentService, 'find' | 'list' | 'otlpHeaders'>;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  /** Version of the program. */
  version: string;
}) {
  const { http, environments, clock, ids, logger, version } = use;
  const exporters = new Map<number, SpanExporter>();
  /** Address of the collector by environment. */
  const endpoints = new Map<number, string>();
  /** Ended operations that were queued. The log emits their rows again when they get further messages. */
  const exported = new WeakSet<OperationListRow>();
  const client = createCollectorClient({ http, clock, version });

  /** Queues spans for the operations and messages that the log has stored. */
  function take({ messages, operations }: LogEvents['logged']): void {
    if (!environments.list().some(({ settings }) => settings.otlpEndpoint !== null)) return;
    for (const row of operations) {
      if (row.endedAt === null || exported.has(row)) continue;
      exported.add(row);
      exporterOf(row.environmentId)?.add(operationSpan(row));
    }
    for (const message of messages)
      if (message.type === 'http') exporterOf(message.environmentId)?.add(requestSpan(message));
  }

  /** The state of the export since the start of the program. */
  function stateOf(environmentId: number): ExportState {
    return exporters.get(environmentId)?.state ?? NOTHING;
  }

  /** Sends a test span. Throws `invalid_body` without a collector, and `vault_locked`. */
  async function sendTest({ id, name, settings }: Environment): Promise<TestSpanResult> {
    if (settings.otlpEndpoint === null)
      throw new HomeportError('invalid_body', 'This environment has no endpoint to send a span to. Save one first.');
    const startedAt = clock.now();
    const traceId = ids.hex(16);
    const outcome = await client.send(
      {
        endpoint: settings.otlpEndpoint,
        headers: await environments.otlpHeaders.list(id),
        environment: name,
        spans: [testSpan({ traceId, spanId: ids.hex(8), at: startedAt })],
      },
      new AbortController().signal,
    );
    if (outcome.kind === 'accepted') exporters.get(id)?.wake();
    return { url: tracesUrl(settings.otlpEndpoint), traceId, durationMs: clock.now() - startedAt, outcome };
  }

  /** Sends waiting spans for at most `withinMs`. */
  async function stop(withinMs: number): Promise<void> {
    await Promise.all([...exporters.values()].map((exporter) => exporter.stop(withinMs)));
  }

  function exporterOf(environmentId: number): SpanExporter | undefined {
    const environment = environments.find(environmentId);
    if (!environment || environment.settings.otlpEndpoint === null) return undefined;
    const { otlpEndpoint } = environment.settings;
    const known = exporters.get(environmentId);
    // The wait before a retry belongs to the old collector and does not apply to the new one.
    if (endpoints.get(environmentId) !== otlpEndpoint) known?.wake();
    endpoints.set(environmentId, otlpEndpoint);
    if (known) return known;
    const made = new SpanExporter({
      send: (spans, signal) => send(environmentId, spans, signal),
      clock,
      logger,
      environment: environment.name,
    });
    exporters.set(environmentId, made);
    return made;
  }

  /** Uses the current settings, which may have changed since the spans were queued. */
  async function send(
    environmentId: number,
    spans: readonly string[],
    signal: AbortSignal,
  ): Promise<SendOutcome | undefined> {
    const environment = environments.find(environmentId);
    if (!environment || environment.settings.otlpEndpoint === null) {
      exporters.delete(environmentId);
      endpoints.delete(environmentId);
      return undefined;
    }
    try {
      const headers = await environments.otlpHeaders.list(environmentId);
      const { otlpEndpoint: endpoint } = environment.settings;
      return await client.send({ endpoint, headers, environment: environment.name, spans }, signal);
    } catch (error) {
      if (isVaultLocked(error))
        return { kind: 'later', message: 'The headers cannot be read while the vault is locked.' };
      throw error;
    }
  }

  return { take, stateOf, sendTest, stop };
}

/** Limit for spans that wait for a collector, about 5,000 spans. */
const QUEUE_BYTES = 4 * 1024 * 1024;
/** Limit for one request. */
export const MAX_SPANS = 512;
export const SEND_EVERY_MS = 5000;
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;

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
  maxBytes?: number;
}

/** Sends the spans of one environment in the background, one request at a time. */
export class SpanExporter {
  readonly #options: SpanExporterOptions;
  readonly #queue: SpanQueue;
  readonly #stopping = new AbortController();
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
    this.#queue = new SpanQueue(options.maxBytes ?? QUEUE_BYTES);
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
    const limit = this.#options.clock.after(withinMs, () => this.#stopping.abort());
    await this.#sending;
    if (!this.#stopping.signal.aborted) await this.#drain();
    limit.cancel();
    this.#cancelTimer();
    const { environment, logger } = this.#options;
    if (this.#queue.size > 0)
      logger.warn({ environment, spans: this.#queue.size }, 'spans were not sent to the collector before the stop');
  }

  #schedule(): void {
    if (this.#sending || this.#isStopped) return;
    if (this.#queue.size >= MAX_SPANS && this.#failures === 0) this.#begin();
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

  /** Sends all spans that wait now. Later ones wait for the next run, so that requests contain many spans. */
  async #drain(): Promise<void> {
    for (let left = this.#queue.size; left > 0; ) {
      const spans = this.#queue.take(MAX_SPANS);
      left -= spans.length;
      const outcome = await this.#send(spans);
      if (outcome) this.#handleOutcome(spans, outcome);
      else this.#queue.clear();
      if (outcome?.kind !== 'accepted') return;
    }
  }

  /** Never rejects, because it is not awaited. */
  async #send(spans: readonly string[]): Promise<SendOutcome | undefined> {
    const { environment, logger, send } = this.#options;
    try {
      return await send(spans, this.#stopping.signal);
    } catch (error) {
      logger.error({ err: error, environment }, 'spans could not be sent to the collector');
      return { kind: 'refused', status: 0, message: 'Homeport could not send the spans. Its log has the reason.' };
    }
  }

  #handleOutcome(spans: readonly string[], outcome: SendOutcome): void {
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
    const waitMs = outcome.waitMs ?? Math.min(FIRST_RETRY_MS * 2 ** this.#failures, MAX_RETRY_MS);
    this.#failures += 1;
    this.#problem = { at: now, message: outcome.message, retryAt: now + waitMs };
    if (!this.#isStopped) this.#timer = this.#options.clock.after(waitMs, () => this.#begin());
  }
}

/** Spans that wait to be sent, as JSON text. Beyond the limit in bytes the oldest are dropped. */
export class SpanQueue {
  readonly #maxBytes: number;
  #spans: string[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#spans.length;
  }

  /** Returns the number of spans that were dropped to make room. */
  push(span: string): number {
    this.#spans.push(span);
    this.#bytes += Buffer.byteLength(span);
    return this.#dropOldest();
  }

  /** Removes and returns the oldest spans, at most `count`. */
  take(count: number): string[] {
    const taken = this.#spans.splice(0, count);
    for (const span of taken) this.#bytes -= Buffer.byteLength(span);
    return taken;
  }

  /** Puts unsent spans back as the oldest ones; returns the number of dropped spans. */
  putBack(spans: readonly string[]): number {
    this.#spans = [...spans, ...this.#spans];
    for (const span of spans) this.#bytes += Buffer.byteLength(span);
    return this.#dropOldest();
  }

  clear(): void {
    this.#spans = [];
    this.#bytes = 0;
  }

  #dropOldest(): number {
    let count = 0;
    while (this.#bytes > this.#maxBytes) {
      this.#bytes -= Buffer.byteLength(this.#spans[count] ?? '');
      count += 1;
    }
    if (count > 0) this.#spans.splice(0, count);
    return count;
  }
}
