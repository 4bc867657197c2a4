import type { StoredConnection } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import type { Environment } from '../environments/environment.service.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { LimitSubject, LimitsService } from '../limits/limits.service.ts';
import type { OperationLog } from '../log/operation.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { RUN_TIMEOUT_MS } from '../platform/sandbox/run-limits.ts';
import type { RecordsService } from '../records/records.service.ts';
import { createActionTrials } from './action-trials.ts';
import { isReadOnlyFunction, type RunnableFunction } from './deployments/deployed-function.ts';
import type { DeploymentsService } from './deployments/deployments.service.ts';
import type { Recorder } from './dry-run/recorder.ts';
import { type RunRequest, type RunsService, toFinalState, toRunError } from './runs/runs.service.ts';
import type { WriteNotes } from './runs/write-notes.ts';

export { shortened, WriteNotes } from './runs/write-notes.ts';
export { toPreview, type WritePreview } from './write-preview.ts';

export interface ActionCall {
  environment: Environment;
  integrationKey: string;
  connectionId: string;
  actionName: string;
  /** JSON text of the input; absent when there is no input. */
  input?: string;
  /** The caller, for the log. */
  trigger: 'api' | 'ui' | 'function' | 'mcp';
  /** Name of the client, if known. */
  actor?: string;
  /** The agent session that calls. */
  sessionId?: string | undefined;
  signal?: AbortSignal;
  /** Whose limits count what the function says it has cost. */
  subjects?: readonly LimitSubject[] | undefined;
  /** Whether the call itself is counted within these limits, too. */
  isCounted?: boolean;
  /** Receives the operation of the log when the run begins. */
  onStarted?(operationId: string): void;
  /** How deep the call is nested: the number of runs that wait for its result. Default 0. */
  depth?: number;
  /** Records the requests of the run and their responses. */
  recorder?: Recorder;
  /** Notes what the run changes at providers. */
  writes?: WriteNotes | undefined;
  /** As of a run. */
  onHubFault?: RunRequest['onHubFault'];
  /** Takes a call back: `input` is that call, and the code must still be the one that made it. */
  undo?: { bundleHash: string };
  /** True when no caller waits for the response; the queue of such calls has its own limits. */
  isInBackground?: boolean;
}

/** Longest wait for a slot of an action with a waiting caller (functions.md 7.1). */
const ACTION_START_WITHIN_MS = 30_000;

export type ActionsService = ReturnType<typeof createActionsService>;

/** Calls actions: one run per call, with an output or a described failure. */
export function createActionsService({
  integrations,
  connections,
  deployments,
  runs,
  limits,
  log,
  records,
}: {
  integrations: IntegrationsService;
  connections: ConnectionsService;
  deployments: DeploymentsService;
  runs: RunsService;
  limits: Pick<LimitsService, 'admit'>;
  log: OperationLog;
  records: Pick<RecordsService, 'findPlaces' | 'list'>;
}) {
  const trials = createActionTrials({ log, records, runs });

  /** Checks integration, connection, action, and whether the action is switched on, in this order (http-api.md 8). */
  async function find(
    call: ActionCall,
  ): Promise<{ integration: Integration; connection: StoredConnection; action: RunnableFunction }> {
    const integration = await integrations.find(call.environment.id, call.integrationKey);
    const connection = integration && (await connections.find(integration, call.connectionId));
    if (!integration && (await isConnectionElsewhere(call)))
      throw new HomeportError('unknown_provider', `There is no integration "${call.integrationKey}".`);
    if (!integration || !connection)
      throw new HomeportError(
        'unknown_connection',
        `There is no connection "${call.connectionId}" of this integration.`,
      );
    const action = await deployments.findActive(call.environment.id, integration.uniqueKey, 'action', call.actionName);
    if (!action) {
      throw new HomeportError(
        'not_found',
        `The integration "${integration.uniqueKey}" has no action "${call.actionName}".`,
      );
    }
    if (!action.isEnabled)
      throw new HomeportError('disabled_resource', `The action "${call.actionName}" is switched off.`);
    return { integration, connection, action };
  }

  /** The same for a call within its limits. */
  async function findAdmitted(call: ActionCall): ReturnType<typeof find> {
    const found = await find(call);
    if (!call.isCounted) return found;
    const kind = isReadOnlyFunction(found.action.definition) ? 'read' : 'write';
    await limits.admit({ environmentId: call.environment.id, subjects: call.subjects ?? [], kind });
    return found;
  }

  /** Whether the environment has a connection with this id in another integration. */
  async function isConnectionElsewhere({ environment, connectionId }: ActionCall): Promise<boolean> {
    const filter = { environmentId: environment.id, connectionId, limit: 1, offset: 0 };
    return (await connections.count(filter)) > 0;
  }

  return {
    /** Runs an action and resolves to its output as JSON text. Throws the error that the caller gets. */
    async trigger(call: ActionCall): Promise<{ output: string; operationId: string }> {
      const { integration, connection, action } = await findAdmitted(call);
      if (call.undo && call.undo.bundleHash !== action.bundleHash) throw changedSince(call.actionName);
      const operation = log.start({
        environmentId: call.environment.id,
        type: 'action',
        action: 'run',
        message: `${call.undo ? 'Undo of' : 'Action'} ${call.actionName}`,
        integrationKey: integration.uniqueKey,
        providerName: integration.provider,
        connectionId: connection.connectionId,
        functionName: call.actionName,
        trigger: call.trigger,
        ...(call.actor === undefined ? {} : { actor: call.actor }),
        ...(call.sessionId === undefined ? {} : { sessionId: call.sessionId }),
      });
      call.onStarted?.(operation.id);
      const outcome = await runs.execute({
        environment: call.environment,
        integration,
        connection,
        deployed: action,
        scriptType: 'action',
        operation,
        timeoutMs: RUN_TIMEOUT_MS.action,
        ...(call.isInBackground ? {} : { startWithinMs: ACTION_START_WITHIN_MS }),
        ...(call.input === undefined ? {} : { input: call.input }),
        ...(call.signal === undefined ? {} : { signal: call.signal }),
        ...(call.depth === undefined ? {} : { depth: call.depth }),
        subjects: call.subjects,
        writes: call.writes,
        onHubFault: call.onHubFault,
        ...(call.undo ? { isUndo: true } : {}),
        ...(call.recorder === undefined ? {} : { recorder: call.recorder }),
      });
      if (outcome.ok) {
        operation.finish('success');
        return { output: outcome.output, operationId: operation.id };
      }
      const error = toRunError(outcome.failure, call.actionName, 'script_internal_error');
      operation.finish(toFinalState(outcome.failure), {
        error: { message: error.message, type: error.code, payload: error.payload },
      });
      throw error;
    },
    /** Runs actions without their writes. */
    trials,
    /** Throws the errors that `trigger` throws before the run. Counts the call as that does. */
    async check(call: ActionCall): Promise<void> {
      await findAdmitted(call);
    },
  };
}

/** Why a call of an agent cannot be undone any more. */
export const changedSince = (action: string): HomeportError =>
  new HomeportError('undo_refused', `The code of "${action}" was changed since that call.`);

/** The context of a sealed part of a call that nobody waits for. */
export function callContext(callId: string, part: 'request' | 'answer'): string {
  return `action-call:${callId}:${part}`;
}
