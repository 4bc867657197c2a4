import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import type { GuestLogEntry, HostMethods, RunOutcome } from '../../../functions/runtime/bridge.ts';
import type { Fixture } from '../../../functions/testing/fixture-file.ts';
import type { CollectedRecords } from '../../functions/dry-run/collected-records.ts';
import type { SentRead } from '../../functions/dry-run/compare-shapes.ts';
import { LocalHost, type LocalMethods } from '../../functions/dry-run/local-host.ts';
import type { LocalRunner } from '../../functions/dry-run/local-runner.ts';
import type { ProviderRequestSender } from '../../functions/dry-run/provider-request-sender.ts';
import { Recorder } from '../../functions/dry-run/recorder.ts';
import { SecretScrubber } from '../../functions/dry-run/secret-scrubber.ts';
import type { OutboundHttp } from '../../platform/lib/outbound-http.ts';
import type { HubClient } from '../hub/hub-client.ts';
import { createHubMethods } from './hub-methods.ts';
import { HubRequestSender } from './hub-request-sender.ts';

export interface DryRunOptions {
  hub: HubClient;
  http: OutboundHttp;
  runner: LocalRunner;
  environmentName: string;
  connectionId: string;
  signal: AbortSignal;
  onLog(entry: GuestLogEntry): void;
  /** Finds and compiles a sync that the function triggers. */
  compileSync(integration: string, name: string): Promise<CompiledFunction>;
  /** Requests to the provider that may be sent. Default: all. */
  mayBeSent?: (request: SentRead) => boolean;
}

export interface LocalDryRun {
  compiled: CompiledFunction;
  input?: unknown;
  metadata?: Record<string, unknown>;
  checkpoint?: Record<string, unknown>;
  lastSyncDate?: string;
  variant?: string;
  /** `partly`: also what a failed run sent. */
  isRecorded?: boolean | 'partly';
}

export interface DryRunResult {
  outcome: RunOutcome;
  records: CollectedRecords;
  checkpoint: Record<string, unknown> | null;
  /** Number of requests to the provider. */
  requests: number;
  /** Of a run with `isRecorded`. */
  fixture?: Fixture;
}

interface Provider {
  name: string;
  paginate: Record<string, unknown> | null;
  connection: Record<string, unknown>;
}

/**
 * Runs functions from their sources in a sandbox of this program, so nothing is deployed and an unfinished function
 * never reaches the hub. Requests go through the hub, which holds the credentials.
 */
export class DryRun {
  readonly #options: DryRunOptions;

  constructor(options: DryRunOptions) {
    this.#options = options;
  }

  async run(request: LocalDryRun): Promise<DryRunResult> {
    const { runner, environmentName, connectionId, signal, onLog, mayBeSent } = this.#options;
    const { compiled, input, variant, lastSyncDate } = request;
    const provider = await this.#findProvider(compiled.integration);
    const scrubber = new SecretScrubber();
    scrubber.learnConnection(provider.connection);
    const recorder = request.isRecorded ? new Recorder(scrubber) : undefined;
    const counted = countRequests(this.#createSender(compiled.integration), mayBeSent);
    const methods = this.#methods(request);
    const host = new LocalHost({
      sender: recorder?.record(counted.sender) ?? counted.sender,
      methods: recorder?.methods(methods) ?? methods,
      checkpoint: request.checkpoint ?? null,
      onLog,
    });
    const outcome = await runner.run({
      compiled,
      host,
      connectionId,
      environmentName,
      signal,
      provider: provider.name,
      paginateDefaults: provider.paginate,
      ...(input === undefined ? {} : { input: JSON.stringify(input) }),
      ...(variant === undefined ? {} : { variant }),
      ...(lastSyncDate === undefined ? {} : { lastSyncDate }),
    });
    const fixture =
      recorder && (outcome.ok || request.isRecorded === 'partly')
        ? finish(recorder, request, host, outcome)
        : undefined;
    const { records, checkpoint } = host;
    return { outcome, records, checkpoint, requests: counted.total(), ...(fixture ? { fixture } : {}) };
  }

  async #findProvider(integration: string): Promise<Provider> {
    const { hub, connectionId } = this.#options;
    const connection = await hub.call<Record<string, unknown>>(
      'GET',
      `/connections/${encodeURIComponent(connectionId)}`,
      { query: { provider_config_key: integration } },
    );
    const name = String(connection['provider']);
    const { data } = await hub.call<{ data: { proxy?: { paginate?: Record<string, unknown> } } }>(
      'GET',
      `/providers/${encodeURIComponent(name)}`,
    );
    return { name, connection, paginate: data.proxy?.paginate ?? null };
  }

  #createSender(providerConfigKey: string): ProviderRequestSender {
    const { hub, connectionId } = this.#options;
    return new HubRequestSender({ hub, connectionId, providerConfigKey });
  }

  #methods({ compiled, metadata, variant }: LocalDryRun): LocalMethods {
    const { hub, http, connectionId } = this.#options;
    return createHubMethods({
      hub,
      http,
      connectionId,
      providerConfigKey: compiled.integration,
      runSync: (args) => this.#runTriggered(args),
      ...(variant === undefined ? {} : { variant }),
      // Only for syncs (functions.md 8.2).
      ...(metadata && compiled.kind === 'sync' ? { metadata } : {}),
    });
  }

  /**
   * Only the log shows what the triggered sync saves: the calling run does not wait for its records (functions.md 3.5).
   */
  async #runTriggered({ providerConfigKey, connectionId, sync }: HostMethods['sync.trigger']['args']): Promise<void> {
    const compiled = await this.#options.compileSync(providerConfigKey, sync.name);
    const { outcome } = await new DryRun({ ...this.#options, connectionId }).run({ compiled, variant: sync.variant });
    if (!outcome.ok) throw new Error(`The triggered sync ${sync.name} failed.`);
  }
}

function finish(recorder: Recorder, request: LocalDryRun, host: LocalHost, outcome: RunOutcome): Fixture {
  const { compiled, input, checkpoint } = request;
  const start = checkpoint ? { checkpoint } : {};
  if (compiled.kind === 'sync') return recorder.finish({ ...start, records: host.records });
  if (compiled.kind === 'on-event' || !outcome.ok) return recorder.finish(start);
  const output: unknown = JSON.parse(outcome.output);
  return recorder.finish({ ...start, ...(input === undefined ? {} : { input }), output });
}

function countRequests(
  sender: ProviderRequestSender,
  mayBeSent: DryRunOptions['mayBeSent'],
): { sender: ProviderRequestSender; total(): number } {
  let total = 0;
  return {
    total: () => total,
    sender: {
      send: (request, signal) => {
        if (mayBeSent?.(request) === false)
          throw new Error(`This run may only read, and the function sent ${request.method} ${request.endpoint}.`);
        total += 1;
        return sender.send(request, signal);
      },
    },
  };
}
