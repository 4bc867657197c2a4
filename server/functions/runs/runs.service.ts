import type { GuestContext, GuestLogEntry, RunOutcome } from '../../../functions/runtime/bridge.ts';
import type { EnvironmentService } from '../../environments/environment.service.ts';
import type { ProviderEntry } from '../../integrations/catalog/entry-schema.ts';
import type { Operation } from '../../log/operation.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import type { EventSink } from '../../platform/lib/event-hub.ts';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import type { OutboundHttp } from '../../platform/lib/outbound-http.ts';
import { parseJson } from '../../platform/lib/parse-json.ts';
import { UnusedMemory } from '../../platform/lib/unused-memory.ts';
import { describeContext } from '../../platform/sandbox/guest-context.ts';
import { RUN_LIMITS } from '../../platform/sandbox/run-limits.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import type { Vault } from '../../platform/vault/vault.ts';
import type { ProxyService } from '../../proxy/proxy.service.ts';
import type { CheckpointSession, RecordsService } from '../../records/records.service.ts';
import { type FunctionCallHost, FunctionCalls } from './function-calls.ts';
import { createDryMethods, createHostCall, RunConnection, type RunConnectionOptions, RunHttp } from './host-api.ts';
import { logRecordChange } from './log-record-change.ts';
import { ResponseBudget } from './response-budget.ts';
import { hubFailureOf } from './run-failure.ts';
import type { RunRequest } from './run-request.ts';

export { hubFailureOf, toFinalState, toRunError } from './run-failure.ts';
export type { RunRequest } from './run-request.ts';

export interface RunEvents {
  /** A batch of records was stored. */
  records: { environmentId: number; integrationKey: string; connectionId: string; model: string; variant: string };
  /** A run started or ended. */
  health: undefined;
}

export interface RunsServiceOptions extends RunConnectionOptions {
  sandbox: Sandbox;
  proxy: ProxyService;
  http: OutboundHttp;
  records: RecordsService;
  environments: EnvironmentService;
  vault: Pick<Vault, 'assertUnlocked'>;
  clock: Clock;
  catalog: { find(name: string): ProviderEntry | undefined };
  events: EventSink<RunEvents>;
}

/** Executes functions: creates the host methods of a run, runs the function in the sandbox, stores its log. */
export class RunsService {
  readonly #options: RunsServiceOptions;
  #functionCalls: FunctionCallHost | undefined;
  readonly #running = new RunningRuns();
  readonly #responseBudget: ResponseBudget;

  constructor(options: RunsServiceOptions) {
    this.#options = options;
    const unusedMemory = new UnusedMemory();
    this.#responseBudget = new ResponseBudget({ clock: options.clock, onReleased: (bytes) => unusedMemory.add(bytes) });
  }

  get runningCount(): number {
    return this.#running.count;
  }

  /** Sets how a run calls other functions; their service is above this one. */
  connect(functionCalls: FunctionCallHost): void {
    this.#functionCalls = functionCalls;
  }

  /**
   * Resolves to the outcome of the run. Rejects only for an unexpected error and for a locked vault, and then also
   * ends the operation.
   */
  async execute(run: RunRequest): Promise<RunOutcome> {
    try {
      this.#options.vault.assertUnlocked();
      return await this.#execute(run);
    } catch (error) {
      this.#running.end(run);
      run.operation.finish('failed', hubFailureOf(error));
      throw error;
    }
  }

  async #execute(run: RunRequest): Promise<RunOutcome> {
    const { clock, records, sandbox } = this.#options;
    const { connection, deployed, environment, operation } = run;
    const signal = this.#running.begin(run);
    // The environment was deleted while the run was prepared: the run ends before it starts.
    if (!this.#options.environments.find(environment.id)) this.#running.endOfEnvironment(environment.id);
    const locks = records.openLocks({ environmentId: environment.id, owner: operation.id });
    const responses = this.#responseBudget.open();
    const target = new RunConnection(this.#options, run);
    const call = createHostCall({
      runConnection: target,
      http: new RunHttp(
        {
          ...this.#options,
          deadlineMs: clock.now() + run.timeoutMs,
          bodyLimitBytes: RUN_LIMITS.messageBytes,
          responses,
        },
        run,
      ),
      functionCalls: new FunctionCalls(() => this.#getFunctionCalls(), run),
      checkpoint: run.checkpoint ?? this.#openCheckpoint(run),
      locks,
      records: run.sync?.records,
      clock,
      onRecordsChanged: (change) => {
        this.#emitRecords(run, change.model);
        // A dry run does not log its records.
        if (!run.dry) logRecordChange(operation, change);
      },
      ...(run.dry ? { dry: createDryMethods(target, run, run.dry) } : {}),
      ...(run.recorder ? { recorder: run.recorder } : {}),
    });
    this.#options.events.emit('health', undefined);
    try {
      const outcome = await sandbox.run(
        {
          runId: operation.id,
          functionName: deployed.name,
          bundle: {
            hash: deployed.bundleHash,
            code: deployed.bundle,
            fileName: `${deployed.name}-${deployed.integrationKey}.cjs`,
          },
          context: await this.#describeContext(run),
          ...(run.input === undefined ? {} : { input: run.input }),
          limits: { ...RUN_LIMITS, timeoutMs: run.timeoutMs },
          ...(run.startWithinMs === undefined ? {} : { startWithinMs: run.startWithinMs }),
          signal,
          depth: run.depth ?? 0,
        },
        {
          call,
          releaseOf: (response) => responses.releaseOf(response),
          log: (entries) => {
            writeLog(operation, entries);
            run.dry?.onLog(entries);
          },
        },
      );
      if (!outcome.ok && outcome.failure.kind === 'thrown' && outcome.failure.error.stack)
        operation.noteStack(outcome.failure.error.stack);
      operation.measure({ cpuMs: outcome.cpuMs || null, memoryBytes: outcome.memoryBytes || null });
      return outcome;
    } finally {
      responses.close();
      this.#running.end(run);
      this.#options.events.emit('health', undefined);
      await locks.releaseAll().catch(() => {
        const message = 'The locks of the run could not be released; they end when they expire or Homeport starts.';
        operation.log({ level: 'warn', message });
      });
      operation.log({
        level: 'debug',
        message: `Run of ${deployed.name} on connection ${connection.connectionId} ended`,
      });
    }
  }

  /** Ends the runs of deleted connections, except runs of syncs, which end with their schedules. */
  endOnConnections(connectionRowIds: readonly number[]): void {
    this.#running.endOnConnections(new Set(connectionRowIds));
  }

  /** As `endOnConnections`, for all runs of an environment. */
  endOfEnvironment(environmentId: number): void {
    this.#running.endOfEnvironment(environmentId);
  }

  /** Resolves when no run of the environment is left. */
  whenEnded(environmentId: number): Promise<void> {
    return this.#running.whenEnded(environmentId);
  }

  #openCheckpoint({ connection, deployed, scriptType, sync }: RunRequest): CheckpointSession {
    const key = `${scriptType}:${deployed.name}${sync ? `:${sync.variant}` : ''}`;
    return this.#options.records.openCheckpoint({ connectionRowId: connection.id, key });
  }

  #emitRecords({ environment, integration, connection, sync }: RunRequest, model: string): void {
    this.#options.events.emit('records', {
      environmentId: environment.id,
      integrationKey: integration.uniqueKey,
      connectionId: connection.connectionId,
      model,
      variant: sync?.variant ?? 'base',
    });
  }

  async #describeContext({
    environment,
    integration,
    connection,
    deployed,
    operation,
    scriptType,
    sync,
    dry,
  }: RunRequest): Promise<GuestContext> {
    const entry = this.#options.catalog.find(integration.provider);
    return describeContext(deployed, {
      scriptType,
      connectionId: connection.connectionId,
      providerConfigKey: integration.uniqueKey,
      provider: integration.provider,
      environmentId: environment.id,
      environmentName: environment.name,
      nangoConnectionId: connection.id,
      activityLogId: operation.id,
      isCLI: false,
      logLevel: dry
        ? 'debug'
        : (connection.logLevel ?? (await this.#options.environments.functionLogLevel(environment.id))),
      ...(entry ? { paginateDefaults: entry.proxy?.paginate ?? null } : {}),
      ...(sync
        ? {
            syncId: sync.syncId,
            syncJobId: sync.syncJobId,
            variant: sync.variant,
            trackDeletes: sync.trackDeletes,
            emptyCache: sync.emptyCache,
            ...(sync.lastSyncDate === undefined ? {} : { lastSyncDate: sync.lastSyncDate }),
          }
        : {}),
    });
  }

  #getFunctionCalls(): FunctionCallHost {
    if (!this.#functionCalls) throw new Error('Calls between functions are not connected yet.');
    return this.#functionCalls;
  }
}

function writeLog(operation: Operation, entries: GuestLogEntry[]): void {
  for (const { level, message, meta, at, source = 'user' } of entries) {
    operation.log({
      level,
      message,
      at,
      source,
      context: 'script',
      ...(meta === undefined ? {} : { meta: readMeta(meta) }),
    });
  }
}

/** The runtime writes payloads as JSON text; other texts are kept as they are. */
function readMeta(text: string): Record<string, unknown> {
  const meta = parseJson(text);
  return isJsonObject(meta) ? meta : { payload: meta ?? text };
}

/** The current runs. Ends those of deleted connections and environments. */
export class RunningRuns {
  readonly #runs = new Map<RunRequest, { controller: AbortController; ended: PromiseWithResolvers<void> }>();

  get count(): number {
    return this.#runs.size;
  }

  /** Adds a run. Its signal aborts when the caller's does, or when this object ends the run. */
  begin(run: RunRequest): AbortSignal {
    const controller = new AbortController();
    this.#runs.set(run, { controller, ended: Promise.withResolvers() });
    return run.signal ? AbortSignal.any([run.signal, controller.signal]) : controller.signal;
  }

  end(run: RunRequest): void {
    this.#runs.get(run)?.ended.resolve();
    this.#runs.delete(run);
  }

  endOnConnections(connectionRowIds: ReadonlySet<number>): void {
    for (const [run, { controller }] of this.#runs) {
      const isSync = run.scriptType === 'sync';
      if (!isSync && connectionRowIds.has(run.connection.id))
        controller.abort(new Error('The connection was deleted.'));
    }
  }

  endOfEnvironment(environmentId: number): void {
    for (const [run, { controller }] of this.#runs) {
      if (run.scriptType !== 'sync' && run.environment.id === environmentId)
        controller.abort(new Error('The environment was deleted.'));
    }
  }

  /** Resolves when the current runs of the environment have ended. */
  async whenEnded(environmentId: number): Promise<void> {
    const all = [...this.#runs].filter(([run]) => run.environment.id === environmentId);
    await Promise.all(all.map(([, { ended }]) => ended.promise));
  }
}
