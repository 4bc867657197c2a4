import type { ConnectionsService } from '../connections/connections.service.ts';
import type { EnvironmentService } from '../environments/environment.service.ts';
import type { DeploymentsService } from '../functions/deployments/deployments.service.ts';
import { type RunsService, toRunError } from '../functions/runs/runs.service.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { HomeportError } from '../platform/lib/homeport-error.ts';
import { RUN_TIMEOUT_MS } from '../platform/sandbox/run-limits.ts';
import type { SyncRunError } from '../webhooks-out/payloads.ts';
import { toSyncDefinition } from './sync-schedules.service.ts';
import type { SyncRow } from './syncs.store.ts';
import type { SyncContext, SyncExecution, SyncExecutionOutcome } from './syncs-options.ts';

/** Limits of a run (syncs-and-records.md 1.3, 1.13). */
export const SYNC_TIMEOUT_MS = RUN_TIMEOUT_MS.sync;
export const SYNC_START_WITHIN_MS = 3_600_000;
const WEBHOOK_RUN_TIMEOUT_MS = RUN_TIMEOUT_MS.webhook;
const WEBHOOK_START_WITHIN_MS = 5 * 60_000;

export interface SyncExecutorOptions {
  environments: EnvironmentService;
  integrations: IntegrationsService;
  connections: ConnectionsService;
  deployments: DeploymentsService;
  runs: RunsService;
}

/** Finds the connection and function of a sync, and runs the function. */
export class SyncExecutor {
  readonly #options: SyncExecutorOptions;

  constructor(options: SyncExecutorOptions) {
    this.#options = options;
  }

  /** Undefined when the connection, the integration or the function is gone or switched off. */
  async findContext(sync: SyncRow): Promise<SyncContext | undefined> {
    const connection = await this.#options.connections.findByRowId(sync.connectionRowId);
    if (!connection) return undefined;
    const { environmentId, name } = sync;
    const found = await this.#options.deployments.triggers.findSync(environmentId, connection.integrationKey, name);
    if (!found) return undefined;
    const definition = toSyncDefinition(found);
    return { providerConfigKey: connection.integrationKey, providerName: connection.provider, definition };
  }

  async execute(execution: SyncExecution): Promise<SyncExecutionOutcome> {
    const { connections, deployments, environments, integrations, runs } = this.#options;
    const { sync, context, scriptType } = execution;
    const environment = environments.find(sync.environmentId);
    const integration = await integrations.find(sync.environmentId, context.providerConfigKey);
    const connection = await connections.findByRowId(sync.connectionRowId);
    const deployed = await deployments.findActive(sync.environmentId, context.providerConfigKey, 'sync', sync.name);
    if (!environment || !integration || !connection || !deployed) {
      return { ok: false, error: { message: 'The connection or the function was removed before the run began.' } };
    }
    const outcome = await runs.execute({
      environment,
      integration,
      connection,
      deployed,
      scriptType,
      operation: execution.operation,
      // A sync has already waited in the job queue, so it needs no limit for the wait in the sandbox.
      ...(scriptType === 'sync'
        ? { timeoutMs: SYNC_TIMEOUT_MS }
        : { timeoutMs: WEBHOOK_RUN_TIMEOUT_MS, startWithinMs: WEBHOOK_START_WITHIN_MS }),
      signal: execution.signal,
      checkpoint: execution.checkpoint,
      ...(execution.input === undefined ? {} : { input: execution.input }),
      sync: {
        syncId: sync.id,
        syncJobId: execution.jobId,
        variant: sync.variant,
        trackDeletes: context.definition.trackDeletes,
        emptyCache: execution.emptyCache,
        records: execution.records,
        ...(execution.lastSyncDate === undefined
          ? {}
          : { lastSyncDate: new Date(execution.lastSyncDate).toISOString() }),
      },
    });
    if (outcome.ok) return { ok: true };
    const error = toRunError(
      outcome.failure,
      sync.name,
      scriptType === 'sync' ? 'sync_script_failure' : 'webhook_script_failure',
    );
    return { ok: false, error: toSyncError(error), isLost: outcome.failure.kind === 'worker_lost' };
  }
}

/** The error in the form that webhooks use, with the provider's response if that made the run fail. */
function toSyncError({ message, code, payload, members }: HomeportError): SyncRunError {
  const upstream = members?.['upstream'];
  return {
    message,
    type: code,
    payload,
    ...(upstream === undefined ? {} : { additionalProperties: { upstream_response: upstream } }),
  };
}
