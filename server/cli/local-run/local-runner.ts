import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import type { GuestContext, RunOutcome } from '../../../functions/runtime/bridge.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { LocalHost } from './local-host.ts';

/** What differs from run to run. */
export interface LocalRun {
  compiled: CompiledFunction;
  host: LocalHost;
  connectionId: string;
  provider: string;
  environmentName: string;
  /** Pagination defaults of the provider. */
  paginateDefaults: Record<string, unknown> | null;
  /** JSON text. */
  input?: string;
  variant?: string;
  lastSyncDate?: string;
  /** Members of the context that throw because they were not recorded. */
  unrecorded?: string[];
  signal: AbortSignal;
}

const MEBIBYTE = 1024 * 1024;
/** The limits that a run in the hub has (functions.md 6.3, 7.1). */
const LIMITS = { memoryMb: 256, outputBytes: 10 * MEBIBYTE, messageBytes: 100 * MEBIBYTE };
const MINUTE_MS = 60_000;
const TIMEOUT_MS = { sync: 24 * 60 * MINUTE_MS, action: 15 * MINUTE_MS, 'on-event': 5 * MINUTE_MS };

/** Runs a compiled function in the sandbox of this very program, as the hub would. */
export class LocalRunner {
  readonly #sandbox: Sandbox;
  readonly #ids: Ids;

  constructor({ sandbox, ids }: { sandbox: Sandbox; ids: Ids }) {
    this.#sandbox = sandbox;
    this.#ids = ids;
  }

  run(run: LocalRun): Promise<RunOutcome> {
    const { compiled, host, input, signal } = run;
    const runId = this.#ids.uuid();
    return this.#sandbox.run(
      {
        runId,
        functionName: compiled.name,
        bundle: { hash: compiled.bundleHash, code: compiled.bundle, fileName: compiled.bundleFileName },
        context: describeContext(run, runId),
        limits: { ...LIMITS, timeoutMs: TIMEOUT_MS[compiled.kind] },
        signal,
        ...(input === undefined ? {} : { input }),
      },
      host,
    );
  }
}

function describeContext(run: LocalRun, runId: string): GuestContext {
  const { compiled, connectionId, environmentName, lastSyncDate, paginateDefaults, provider, variant = 'base' } = run;
  const { definition } = compiled;
  const models = definition.type === 'sync' ? definition.output : [];
  return {
    scriptType: compiled.kind,
    connectionId,
    providerConfigKey: compiled.integration,
    provider,
    environmentId: 0,
    environmentName,
    accountId: 0,
    nangoConnectionId: 0,
    activityLogId: runId,
    isCLI: true,
    logLevel: 'debug',
    syncConfig: {
      sync_name: compiled.name,
      type: definition.type,
      version: definition.version,
      models,
      models_json_schema: 'json_schema' in definition ? definition.json_schema : null,
    },
    models,
    paginateDefaults,
    ...(run.unrecorded ? { unrecorded: run.unrecorded } : {}),
    ...(definition.type === 'sync'
      ? {
          syncId: runId,
          syncJobId: 0,
          variant,
          trackDeletes: definition.track_deletes,
          emptyCache: false,
          ...(lastSyncDate === undefined ? {} : { lastSyncDate }),
        }
      : {}),
  };
}
