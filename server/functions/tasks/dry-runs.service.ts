import type { StoredConnection } from '../../connections/connection.ts';
import type { Environment } from '../../environments/environment.service.ts';
import type { Integration } from '../../integrations/integration.ts';
import type { OperationLog } from '../../log/operation.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import type { RecordsService } from '../../records/records.service.ts';
import type { AdHocCode, CompiledCode } from '../deployments/ad-hoc-code.ts';
import type { RunnableFunction } from '../deployments/deployed-function.ts';
import { type CollectedRecords, lastOfEach } from '../dry-run/collected-records.ts';
import { MemoryHost } from '../dry-run/memory-host.ts';
import type { Recorder } from '../dry-run/recorder.ts';
import { describeProblems, SchemaCheck, type SchemaProblem } from '../dry-run/schema-check.ts';
import type { HostGuard, SyncRunParts } from '../runs/run-request.ts';
import { type RunsService, toFinalState, toRunError } from '../runs/runs.service.ts';
import type { FunctionTask, TaskOutcome } from './function-task.ts';
import type { FunctionTasks } from './function-tasks.ts';

export interface DryRunRequest {
  environment: Environment;
  integration: Integration;
  connection: StoredConnection;
  type: 'action' | 'sync';
  code: string;
  input?: unknown;
  /** Syncs only (functions.md 8.2). */
  metadata?: Record<string, unknown>;
  checkpoint?: Record<string, unknown>;
  /** ISO time. */
  lastSyncDate?: string;
}

/** A dry run of the live version of a function. */
export interface LiveDryRun extends Omit<DryRunRequest, 'type' | 'code'> {
  deployed: RunnableFunction;
  /** Variant of the sync. Default `base`. */
  variant?: string;
  signal: AbortSignal;
  /** Records the requests of the run and their responses. */
  recorder?: Recorder;
  /** Limits of what the run may do. */
  guard?: HostGuard;
  /** Who asked, for the log. Default: an agent when there is a guard, else a person. */
  trigger?: 'schedule';
  /** Receives the lines that the function logs. */
  onLines?(lines: string[]): void;
  /** Receives the operation of the log when the run begins. */
  onStarted(operationId: string): void;
}

/** What the run would have stored. */
export interface DryRunEffects {
  added: Record<string, unknown[]>;
  updated: Record<string, unknown[]>;
  deleted: Record<string, unknown[]>;
  checkpoint: Record<string, unknown> | null;
}

/** `effects` of a failed run: everything up to the failure. */
export type LiveDryRunResult =
  | { ok: true; effects: DryRunEffects; output: unknown; records: CollectedRecords }
  | { ok: false; effects: DryRunEffects; failure: HomeportError };

const NAME = 'dryrun';
/** Longer than the limit of the task, so that the task ends the run. */
const TIMEOUT_MS = 10 * 60_000;
const OUTPUT_LIMIT = 1024 * 1024;

export type DryRunsService = ReturnType<typeof createDryRunsService>;

/** Runs sent code with a real connection and stores none of its changes (http-api.md 14). */
export function createDryRunsService({
  code: adHocCode,
  runs,
  records,
  log,
  tasks,
}: {
  code: AdHocCode;
  runs: RunsService;
  records: RecordsService;
  log: OperationLog;
  tasks: FunctionTasks;
}) {
  async function run(request: DryRunRequest, signal: AbortSignal): Promise<TaskOutcome> {
    const { integration, type, code, input } = request;
    const compiled = await adHocCode.compile({
      code,
      type,
      integrationKey: integration.uniqueKey,
      name: NAME,
    });
    const check = new SchemaCheck(compiled.definition);
    requireMatch('The input', type === 'action' ? check.input(input) : []);
    const memory = new MemoryHost(request.checkpoint ?? null);
    const lines: string[] = [];
    const outcome = await execute(request, toRunnable(request, compiled), memory, {
      signal,
      onStarted: () => {},
      onLines: (added) => lines.push(...added),
    });
    const output = lines.join('\n').slice(0, OUTPUT_LIMIT);
    if (!outcome.ok) {
      const { code: failed, message, payload } = outcome.error;
      return { output, error: { code: failed, message, ...(payload === undefined ? {} : { payload }) } };
    }
    if (type === 'action') {
      const result: unknown = JSON.parse(outcome.output);
      requireMatch('The output', check.output(result));
      return { output, result };
    }
    requireMatch('What was saved', check.records(memory.records));
    return { output, result: summaryOf(memory) };
  }

  async function execute(
    request: Omit<DryRunRequest, 'code'> & { variant?: string; recorder?: Recorder } & Pick<
        LiveDryRun,
        'guard' | 'trigger'
      >,
    deployed: RunnableFunction,
    memory: MemoryHost,
    { signal, onStarted, onLines }: RunListeners,
  ): Promise<{ ok: true; output: string } | { ok: false; error: HomeportError }> {
    const { environment, integration, connection, type, input, metadata, recorder, guard, trigger } = request;
    const operation = log.start({
      environmentId: environment.id,
      type: 'function',
      action: 'invoke',
      message: deployed.name === NAME ? `Dry run of an unsaved ${type}` : `Dry run of ${deployed.name}`,
      ...(deployed.name === NAME ? {} : { functionName: deployed.name }),
      integrationKey: integration.uniqueKey,
      providerName: integration.provider,
      connectionId: connection.connectionId,
      trigger: trigger ?? (guard ? 'mcp' : deployed.name === NAME ? 'api' : 'ui'),
    });
    onStarted(operation.id);
    const outcome = await runs.execute({
      environment,
      integration,
      connection,
      deployed,
      scriptType: type,
      operation,
      timeoutMs: TIMEOUT_MS,
      signal,
      ...(input === undefined ? {} : { input: JSON.stringify(input) }),
      ...(type === 'sync' ? { sync: syncParts(request, deployed, operation.id) } : {}),
      dry: {
        memory,
        onLog: (entries) => onLines(entries.map(({ level, message }) => `${level}: ${message}`)),
        ...(metadata && type === 'sync' ? { metadata } : {}),
        ...(guard ? { guard } : {}),
      },
      ...(recorder ? { recorder } : {}),
    });
    if (outcome.ok) {
      operation.finish('success');
      return { ok: true, output: outcome.output };
    }
    const error = toRunError(
      outcome.failure,
      deployed.name,
      type === 'sync' ? 'sync_script_failure' : 'script_internal_error',
    );
    operation.finish(toFinalState(outcome.failure), {
      error: { message: error.message, type: error.code, payload: error.payload },
    });
    return { ok: false, error };
  }

  /** Reads return stored data; all writes go to memory. */
  function syncParts(
    { connection, lastSyncDate, variant = 'base' }: Omit<DryRunRequest, 'code'> & { variant?: string },
    { definition, name }: RunnableFunction,
    id: string,
  ): SyncRunParts {
    const sync = definition.type === 'sync' ? definition : undefined;
    return {
      syncId: id,
      syncJobId: 0,
      variant,
      trackDeletes: sync?.track_deletes ?? false,
      emptyCache: false,
      records: records.openRecords({
        connectionRowId: connection.id,
        variant,
        jobId: 0,
        models: sync?.output ?? [],
        checkpointKey: name,
      }),
      ...(lastSyncDate === undefined ? {} : { lastSyncDate }),
    };
  }

  return {
    /** Starts a dry run of sent code in the background. */
    start(request: DryRunRequest): FunctionTask {
      const { environment, integration, type } = request;
      const facts = {
        environmentId: environment.id,
        kind: 'dry-run' as const,
        integrationKey: integration.uniqueKey,
        type,
      };
      return tasks.start(facts, (signal) => run(request, signal));
    },
    /**
     * Runs a live function without storing anything; resolves to its output and what it would store, or to its failure
     * and what it would have stored until then. Throws `invalid_request` for an input, output or record that does not fit.
     */
    async tryLive(run: LiveDryRun): Promise<LiveDryRunResult> {
      const { deployed, input, signal, onStarted } = run;
      if (deployed.definition.type === 'on-event')
        throw new HomeportError('invalid_request', 'Only actions and syncs can be tried.');
      const check = new SchemaCheck(deployed.definition);
      requireMatch('The input', check.input(input));
      const memory = new MemoryHost(run.checkpoint ?? null);
      const outcome = await execute({ ...run, type: deployed.definition.type }, deployed, memory, {
        signal,
        onStarted,
        onLines: (lines) => run.onLines?.(lines),
      });
      if (!outcome.ok) return { ok: false, effects: summaryOf(memory), failure: outcome.error };
      const output: unknown = JSON.parse(outcome.output);
      requireMatch('The output', check.output(output));
      requireMatch('What was saved', check.records(memory.records));
      return { ok: true, effects: summaryOf(memory), output, records: memory.records };
    },
  };
}

function toRunnable({ environment, integration, type }: DryRunRequest, compiled: CompiledCode): RunnableFunction {
  return {
    id: 0,
    environmentId: environment.id,
    integrationKey: integration.uniqueKey,
    type,
    name: NAME,
    origin: 'standalone',
    path: `${NAME}.ts`,
    version: '0',
    definition: compiled.definition,
    bundleHash: compiled.bundleHash,
    bundle: compiled.bundle,
    problems: [],
    hasCompileErrors: false,
    isEnabled: true,
    missingSince: null,
    deployedAt: null,
  };
}

interface RunListeners {
  signal: AbortSignal;
  onStarted(operationId: string): void;
  onLines(lines: string[]): void;
}

/** The last version of each record, as it would be stored. */
function summaryOf({ records, checkpoint }: MemoryHost): DryRunEffects {
  const { saved, updated, deleted } = records;
  const added = Object.fromEntries(Object.entries(saved).map(([model, all]) => [model, lastOfEach(all)]));
  return { added, updated, deleted, checkpoint };
}

function requireMatch(what: string, problems: SchemaProblem[]): void {
  if (problems.length === 0) return;
  throw new HomeportError('validation_error', `${what} does not match its model.\n${describeProblems(problems)}`, {
    payload: { problems },
  });
}
