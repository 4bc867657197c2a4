import type { Clock } from '../../lib/clock.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import type { OutboundHttp } from '../../lib/outbound-http.ts';
import type { OperationListRow } from '../../stores/operations-store.ts';
import type { Environment, EnvironmentService } from '../environment/environment-service.ts';
import type { LogEvents } from '../logs/log-events.ts';
import { CollectorClient, type SendOutcome, tracesUrl } from './collector-client.ts';
import { operationSpan, requestSpan, testSpan } from './operation-spans.ts';
import { type ExportState, SpanExporter } from './span-exporter.ts';

export interface TelemetryServiceOptions {
  http: Pick<OutboundHttp, 'request'>;
  environments: Pick<EnvironmentService, 'find' | 'list' | 'otlpHeaders'>;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  /** Version of the program. */
  version: string;
}

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

/** Exports log operations as traces, for environments with a collector (design.md 7.47). */
export class TelemetryService {
  readonly #options: TelemetryServiceOptions;
  readonly #client: CollectorClient;
  readonly #exporters = new Map<number, SpanExporter>();
  /** Address of the collector by environment. */
  readonly #endpoints = new Map<number, string>();
  /** A row is stored again when an ended operation gets further messages. */
  readonly #exported = new WeakSet<OperationListRow>();

  constructor(options: TelemetryServiceOptions) {
    this.#options = options;
    this.#client = new CollectorClient(options);
  }

  /** Queues what the log has stored. */
  take({ messages, operations }: LogEvents['logged']): void {
    if (!this.#options.environments.list().some(({ settings }) => settings.otlpEndpoint !== null)) return;
    for (const row of operations) {
      if (row.endedAt === null || this.#exported.has(row)) continue;
      this.#exported.add(row);
      this.#exporterOf(row.environmentId)?.add(operationSpan(row));
    }
    for (const message of messages)
      if (message.type === 'http') this.#exporterOf(message.environmentId)?.add(requestSpan(message));
  }

  stateOf(environmentId: number): ExportState {
    return this.#exporters.get(environmentId)?.state ?? NOTHING;
  }

  /** Throws `invalid_body` without a collector, and `vault_locked`. */
  async sendTest({ id, name, settings }: Environment): Promise<TestSpanResult> {
    const { clock, environments, ids } = this.#options;
    if (settings.otlpEndpoint === null)
      throw new HomeportError('invalid_body', 'This environment has no endpoint to send a span to. Save one first.');
    const startedAt = clock.now();
    const traceId = ids.hex(16);
    const outcome = await this.#client.send(
      {
        endpoint: settings.otlpEndpoint,
        headers: await environments.otlpHeaders.list(id),
        environment: name,
        spans: [testSpan({ traceId, spanId: ids.hex(8), at: startedAt })],
      },
      new AbortController().signal,
    );
    if (outcome.kind === 'accepted') this.#exporters.get(id)?.wake();
    return { url: tracesUrl(settings.otlpEndpoint), traceId, durationMs: clock.now() - startedAt, outcome };
  }

  /** Sends waiting spans for at most `withinMs`. */
  async stop(withinMs: number): Promise<void> {
    await Promise.all([...this.#exporters.values()].map((exporter) => exporter.stop(withinMs)));
  }

  #exporterOf(environmentId: number): SpanExporter | undefined {
    const { clock, environments, logger } = this.#options;
    const environment = environments.find(environmentId);
    if (!environment || environment.settings.otlpEndpoint === null) return undefined;
    const { otlpEndpoint } = environment.settings;
    const known = this.#exporters.get(environmentId);
    // A wait that one collector asked for does not apply to another one.
    if (this.#endpoints.get(environmentId) !== otlpEndpoint) known?.wake();
    this.#endpoints.set(environmentId, otlpEndpoint);
    if (known) return known;
    const made = new SpanExporter({
      send: (spans, signal) => this.#send(environmentId, spans, signal),
      clock,
      logger,
      environment: environment.name,
    });
    this.#exporters.set(environmentId, made);
    return made;
  }

  /** Uses the current settings, which may have changed since the spans were queued. */
  async #send(environmentId: number, spans: readonly string[], signal: AbortSignal): Promise<SendOutcome | undefined> {
    const { environments } = this.#options;
    const environment = environments.find(environmentId);
    if (!environment || environment.settings.otlpEndpoint === null) {
      this.#exporters.delete(environmentId);
      this.#endpoints.delete(environmentId);
      return undefined;
    }
    try {
      const headers = await environments.otlpHeaders.list(environmentId);
      const { otlpEndpoint: endpoint } = environment.settings;
      return await this.#client.send({ endpoint, headers, environment: environment.name, spans }, signal);
    } catch (error) {
      if (error instanceof HomeportError && error.code === 'vault_locked')
        return { kind: 'later', message: 'The headers cannot be read while the vault is locked.' };
      throw error;
    }
  }
}
