import { lastOfEach } from '../../dry-run/collected-records.ts';
import { MemoryHost } from '../../dry-run/memory-host.ts';
import { describeProblems, SchemaCheck, type SchemaProblem } from '../../dry-run/schema-check.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { StoredConnection } from '../connections/connection.ts';
import type { AdHocCode, CompiledCode } from '../deployments/ad-hoc-code.ts';
import type { RunnableFunction } from '../deployments/deployed-function.ts';
import type { Environment } from '../environment/environment-service.ts';
import type { Integration } from '../integrations/integration.ts';
import type { OperationLog } from '../logs/operation.ts';
import type { RecordsService } from '../records/records-service.ts';
import type { SyncRunParts } from '../runs/run-request.ts';
import { type RunsService, toRunError } from '../runs/runs-service.ts';
import type { FunctionTask, TaskOutcome } from './function-task.ts';
import type { FunctionTasks } from './function-tasks.ts';

export interface DryRunsServiceOptions {
  code: AdHocCode;
  runs: RunsService;
  records: RecordsService;
  log: OperationLog;
  tasks: FunctionTasks;
}

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

const NAME = 'dryrun';
/** The task's own limit comes first. */
const TIMEOUT_MS = 10 * 60_000;
const OUTPUT_LIMIT = 1024 * 1024;

/** Runs sent code against a real connection and stores nothing of what it does (http-api.md 14). */
export class DryRunsService {
  readonly #options: DryRunsServiceOptions;

  constructor(options: DryRunsServiceOptions) {
    this.#options = options;
  }

  start(request: DryRunRequest): FunctionTask {
    const { environment, integration, type } = request;
    const facts = {
      environmentId: environment.id,
      kind: 'dry-run' as const,
      integrationKey: integration.uniqueKey,
      type,
    };
    return this.#options.tasks.start(facts, (signal) => this.#run(request, signal));
  }

  async #run(request: DryRunRequest, signal: AbortSignal): Promise<TaskOutcome> {
    const { integration, type, code, input } = request;
    const compiled = await this.#options.code.compile({
      code,
      type,
      integrationKey: integration.uniqueKey,
      name: NAME,
    });
    const check = new SchemaCheck(compiled.definition);
    requireFitting('The input', type === 'action' ? check.input(input) : []);
    const memory = new MemoryHost(request.checkpoint ?? null);
    const lines: string[] = [];
    const outcome = await this.#execute(request, compiled, memory, lines, signal);
    const output = lines.join('\n').slice(0, OUTPUT_LIMIT);
    if (!outcome.ok) {
      const { code: failed, message, payload } = outcome.error;
      return { output, error: { code: failed, message, ...(payload === undefined ? {} : { payload }) } };
    }
    if (type === 'action') {
      const result: unknown = JSON.parse(outcome.output);
      requireFitting('The output', check.output(result));
      return { output, result };
    }
    requireFitting('What was saved', check.records(memory.records));
    return { output, result: summaryOf(memory) };
  }

  async #execute(
    request: DryRunRequest,
    compiled: CompiledCode,
    memory: MemoryHost,
    lines: string[],
    signal: AbortSignal,
  ): Promise<{ ok: true; output: string } | { ok: false; error: HomeportError }> {
    const { environment, integration, connection, type, input, metadata } = request;
    const operation = this.#options.log.start({
      environmentId: environment.id,
      type: 'function',
      action: 'invoke',
      message: `Dry run of an unsaved ${type}`,
      integrationKey: integration.uniqueKey,
      providerName: integration.provider,
      connectionId: connection.connectionId,
      trigger: 'api',
    });
    const outcome = await this.#options.runs.execute({
      environment,
      integration,
      connection,
      deployed: toRunnable(request, compiled),
      scriptType: type,
      operation,
      timeoutMs: TIMEOUT_MS,
      signal,
      ...(input === undefined ? {} : { input: JSON.stringify(input) }),
      ...(type === 'sync' ? { sync: this.#syncParts(request, compiled, operation.id) } : {}),
      dry: {
        memory,
        onLog: (entries) => lines.push(...entries.map(({ level, message }) => `${level}: ${message}`)),
        ...(metadata && type === 'sync' ? { metadata } : {}),
      },
    });
    if (outcome.ok) {
      operation.finish('success');
      return { ok: true, output: outcome.output };
    }
    const error = toRunError(outcome.failure, NAME, type === 'sync' ? 'sync_script_failure' : 'script_internal_error');
    operation.finish('failed', { error: { message: error.message, type: error.code, payload: error.payload } });
    return { ok: false, error };
  }

  /** Reads go to what is stored; every write is taken by the memory. */
  #syncParts({ connection, lastSyncDate }: DryRunRequest, { definition }: CompiledCode, id: string): SyncRunParts {
    const sync = definition.type === 'sync' ? definition : undefined;
    return {
      syncId: id,
      syncJobId: 0,
      variant: 'base',
      trackDeletes: sync?.track_deletes ?? false,
      emptyCache: false,
      records: this.#options.records.openRecords({
        connectionRowId: connection.id,
        variant: 'base',
        jobId: 0,
        models: sync?.output ?? [],
        checkpointKey: NAME,
      }),
      ...(lastSyncDate === undefined ? {} : { lastSyncDate }),
    };
  }
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
    isEnabled: true,
    missingSince: null,
    deployedAt: null,
  };
}

/** One record for each id, as a stored one would be. */
function summaryOf({ records, checkpoint }: MemoryHost): Record<string, unknown> {
  const { saved, updated, deleted } = records;
  const added = Object.fromEntries(Object.entries(saved).map(([model, all]) => [model, lastOfEach(all)]));
  return { added, updated, deleted, checkpoint };
}

function requireFitting(what: string, problems: SchemaProblem[]): void {
  if (problems.length === 0) return;
  throw new HomeportError('validation_error', `${what} does not fit its model.\n${describeProblems(problems)}`, {
    payload: { problems },
  });
}
