import type { GuestContext, GuestLogEntry, RunOutcome } from '../../../functions/runtime/bridge.ts';
import type { ConnectionsService } from '../../connections/connections.service.ts';
import type { EnvironmentService } from '../../environments/environment.service.ts';
import type { ProviderEntry } from '../../integrations/catalog/entry-schema.ts';
import type { IntegrationsService } from '../../integrations/integrations.service.ts';
import type { LimitsService } from '../../limits/limits.service.ts';
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
import { createDryMethods, createHostCall, createRunConnection, createRunHttp } from './host-api.ts';
import { logRecordChange } from './log-record-change.ts';
import { createResponseBudget } from './response-budget.ts';
import { hubFailureOf } from './run-failure.ts';
import { createFunctionCalls, type FunctionCallHost, type RunRequest } from './run-request.ts';

export { hubFailureOf, toFinalState, toRunError } from './run-failure.ts';
export type { RunRequest } from './run-request.ts';

export interface RunEvents {
  /** A batch of records was stored. */
  records: { environmentId: number; integrationKey: string; connectionId: string; model: string; variant: string };
  /** A run started or ended. */
  health: undefined;
}

export type RunsService = ReturnType<typeof createRunsService>;

/** Executes functions: creates the host methods of a run, runs the function in the sandbox, stores its log. */
export function createRunsService({
  sandbox,
  proxy,
  http,
  records,
  limits,
  environments,
  integrations,
  connections,
  vault,
  clock,
  catalog,
  events,
  localBase,
  publicBase,
}: {
  sandbox: Sandbox;
  proxy: ProxyService;
  http: OutboundHttp;
  records: RecordsService;
  environments: EnvironmentService;
  integrations: IntegrationsService;
  connections: ConnectionsService;
  limits: Pick<LimitsService, 'spend'>;
  vault: Pick<Vault, 'assertUnlocked'>;
  clock: Clock;
  catalog: { find(name: string): ProviderEntry | undefined };
  events: EventSink<RunEvents>;
  /** Origins for addresses in responses: the local and the public one. */
  localBase(): string;
  publicBase(): string;
}) {
  /** Their services are above this one. */
  let functionCallHost: FunctionCallHost | undefined;
  const running = createRunningRuns();
  const unusedMemory = new UnusedMemory();
  const responseBudget = createResponseBudget({ clock, onReleased: (bytes) => unusedMemory.add(bytes) });

  async function executeUnlocked(run: RunRequest): Promise<RunOutcome> {
    const { connection, deployed, environment, operation } = run;
    const signal = running.begin(run);
    // The environment was deleted while the run was prepared: the run ends before it starts.
    if (!environments.find(environment.id)) running.endOfEnvironment(environment.id);
    const locks = records.openLocks({ environmentId: environment.id, owner: operation.id });
    const responses = responseBudget.open();
    const guard = run.dry?.guard;
    const target = createRunConnection({ run, integrations, connections, environments, localBase, publicBase });
    const call = createHostCall({
      runConnection: target,
      http: createRunHttp({ run, proxy, http, deadlineMs: clock.now() + run.timeoutMs, responses }),
      functionCalls: createFunctionCalls({ run, calls: () => getFunctionCalls() }),
      checkpoint: run.checkpoint ?? openCheckpoint(run),
      locks,
      records: run.sync?.records,
      clock,
      onRecordsChanged: (change) => {
        emitRecords(run, change.model);
        // A dry run does not log its records.
        if (!run.dry) logRecordChange(operation, change);
      },
      onCost: async (amount) => {
        operation.log({ level: 'info', message: `Cost: ${amount}`, meta: { cost: amount } });
        if (run.subjects) await limits.spend(environment.id, run.subjects, amount);
      },
      // What a nested call keeps is for its own undo.
      onKept: (value) => {
        if (run.writes && !run.depth) run.writes.kept = value;
      },
      ...(run.dry ? { dry: createDryMethods(target, run, run.dry) } : {}),
      ...(guard ? { guarded: (table) => guard.methods(table, run) } : {}),
      ...(run.recorder ? { recorder: run.recorder } : {}),
      onHubFault: run.onHubFault,
    });
    events.emit('health', undefined);
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
          context: await contextOf(run),
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
      running.end(run);
      events.emit('health', undefined);
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

  function openCheckpoint({ connection, deployed, scriptType, sync }: RunRequest): CheckpointSession {
    const key = `${scriptType}:${deployed.name}${sync ? `:${sync.variant}` : ''}`;
    return records.openCheckpoint({ connectionRowId: connection.id, key });
  }

  function emitRecords({ environment, integration, connection, sync }: RunRequest, model: string): void {
    events.emit('records', {
      environmentId: environment.id,
      integrationKey: integration.uniqueKey,
      connectionId: connection.connectionId,
      model,
      variant: sync?.variant ?? 'base',
    });
  }

  async function contextOf({
    environment,
    integration,
    connection,
    deployed,
    operation,
    scriptType,
    sync,
    dry,
    isUndo,
  }: RunRequest): Promise<GuestContext> {
    const entry = catalog.find(integration.provider);
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
      logLevel: dry ? 'debug' : (connection.logLevel ?? (await environments.functionLogLevel(environment.id))),
      ...(isUndo ? { isUndo } : {}),
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

  function getFunctionCalls(): FunctionCallHost {
    if (!functionCallHost) throw new Error('Calls between functions are not connected yet.');
    return functionCallHost;
  }

  return {
    /** Sets how a run calls other functions; their service is above this one. */
    connect(functionCalls: FunctionCallHost): void {
      functionCallHost = functionCalls;
    },
    /**
     * Resolves to the outcome of the run. Rejects only for an unexpected error and for a locked vault, and then also
     * ends the operation.
     */
    async execute(run: RunRequest): Promise<RunOutcome> {
      try {
        vault.assertUnlocked();
        return await executeUnlocked(run);
      } catch (error) {
        running.end(run);
        run.operation.finish('failed', hubFailureOf(error));
        throw error;
      }
    },
    get runningCount(): number {
      return running.count;
    },
    endOnConnections: running.endOnConnections,
    endOfEnvironment: running.endOfEnvironment,
    whenEnded: running.whenEnded,
  };
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

/** The current runs. Those of syncs end with their schedules. */
function createRunningRuns() {
  const runs = new Map<RunRequest, { controller: AbortController; ended: PromiseWithResolvers<void> }>();

  function endWhere(isMeant: (run: RunRequest) => boolean, reason: string): void {
    for (const [run, { controller }] of runs)
      if (run.scriptType !== 'sync' && isMeant(run)) controller.abort(new Error(reason));
  }

  return {
    get count(): number {
      return runs.size;
    },
    /** Adds a run. Its signal aborts when the caller's does, or when this object ends the run. */
    begin(run: RunRequest): AbortSignal {
      const controller = new AbortController();
      runs.set(run, { controller, ended: Promise.withResolvers() });
      return run.signal ? AbortSignal.any([run.signal, controller.signal]) : controller.signal;
    },
    end(run: RunRequest): void {
      runs.get(run)?.ended.resolve();
      runs.delete(run);
    },
    /** Ends the runs of deleted connections. */
    endOnConnections(connectionRowIds: readonly number[]): void {
      const ended = new Set(connectionRowIds);
      endWhere(({ connection }) => ended.has(connection.id), 'The connection was deleted.');
    },
    endOfEnvironment(environmentId: number): void {
      endWhere(({ environment }) => environment.id === environmentId, 'The environment was deleted.');
    },
    /** Resolves when the current runs of the environment have ended, also those of syncs. */
    async whenEnded(environmentId: number): Promise<void> {
      const all = [...runs].filter(([run]) => run.environment.id === environmentId);
      await Promise.all(all.map(([, { ended }]) => ended.promise));
    },
  };
}
