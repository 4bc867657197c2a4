import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import type { GuestContext, RunOutcome } from '../../../functions/runtime/bridge.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import { describeContext } from '../../platform/sandbox/guest-context.ts';
import { RUN_LIMITS, RUN_TIMEOUT_MS } from '../../platform/sandbox/run-limits.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import type { LocalHost } from './local-host.ts';

/** Parts of a compiled function that a run needs. */
export type LocalFunction = Pick<
  CompiledFunction,
  'integration' | 'kind' | 'name' | 'bundle' | 'bundleHash' | 'bundleFileName' | 'definition'
>;

/** Options of one run. */
export interface LocalRun {
  compiled: LocalFunction;
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
  /** Paths of a recording that have one page, as `get /v1/items`. */
  singlePages?: string[];
  signal: AbortSignal;
}

/** Runs a compiled function in a sandbox of this program, as the hub would. */
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
        context: contextOf(run, runId),
        limits: { ...RUN_LIMITS, timeoutMs: RUN_TIMEOUT_MS[compiled.kind] },
        signal,
        measuresMemory: true,
        ...(input === undefined ? {} : { input }),
      },
      host,
    );
  }
}

function contextOf(run: LocalRun, runId: string): GuestContext {
  const { compiled, connectionId, environmentName, lastSyncDate, paginateDefaults, provider, variant = 'base' } = run;
  const { definition, integration, kind, name } = compiled;
  const described = { name, version: definition.version, definition };
  return describeContext(described, {
    scriptType: kind,
    connectionId,
    providerConfigKey: integration,
    provider,
    environmentId: 0,
    environmentName,
    nangoConnectionId: 0,
    activityLogId: runId,
    isCLI: true,
    logLevel: 'debug',
    paginateDefaults,
    ...(run.unrecorded ? { unrecorded: run.unrecorded } : {}),
    ...(run.singlePages?.length ? { singlePages: run.singlePages } : {}),
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
  });
}
