import type { ConnectionContext } from '../connections/connection.ts';
import type { Environment } from '../environments/environment.service.ts';
import type { ParsedOnEvent, RunnableFunction } from '../functions/deployments/deployed-function.ts';
import type { DeploymentsService } from '../functions/deployments/deployments.service.ts';
import { type RunRequest, type RunsService, toFinalState, toRunError } from '../functions/runs/runs.service.ts';
import type { Integration } from '../integrations/integration.ts';
import type { Operation, OperationAction, OperationLog } from '../log/operation.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { RUN_TIMEOUT_MS } from '../platform/sandbox/run-limits.ts';
import type { Vault } from '../platform/vault/vault.ts';

export type LifecycleEvent = ParsedOnEvent['event'];

type RunFailure = Parameters<typeof toRunError>[0];

/** Longest wait of an on-event function for a slot (functions.md 7.1). */
const ON_EVENT_START_WITHIN_MS = 30_000;

/** Codes of errors that the sandbox throws in the place of the function. */
const LIMITS: ReadonlySet<string> = new Set([
  'server_error',
  'run_not_started',
  'too_many_calls',
  'too_many_timers',
  'invalid_host_message',
  'result_not_handed_over',
  'function_never_ends',
]);

const ACTIONS: Record<LifecycleEvent, OperationAction<'events'>> = {
  'post-connection-creation': 'post_connection_creation',
  'pre-connection-deletion': 'pre_connection_deletion',
  'validate-connection': 'validate_connection',
};

export type OnEventRunner = ReturnType<typeof createOnEventRunner>;

/** Runs the functions of a connection event, one after the other (functions.md 7.5). */
export function createOnEventRunner({
  deployments,
  runs,
  log,
  vault,
}: {
  deployments: DeploymentsService;
  runs: RunsService;
  log: OperationLog;
  vault: Pick<Vault, 'isLocked'>;
}) {
  function names(environment: Environment, integration: Integration, event: LifecycleEvent): Promise<string[]> {
    return deployments.triggers.listOnEvents(environment.id, integration.uniqueKey, event);
  }

  async function runOne(
    context: ConnectionContext,
    event: LifecycleEvent,
    name: string,
    signal: AbortSignal | undefined,
  ): Promise<{ message: string; operationId: string } | undefined> {
    const { environment, integration } = context;
    const deployed = await deployments.findActive(environment.id, integration.uniqueKey, 'on-event', name);
    if (!deployed) return undefined;
    const operation = start(context, event, name, 'event');
    let hubFault: unknown;
    const { error, failure } = await execute(context, deployed, operation, {
      signal,
      onHubFault: (fault) => {
        hubFault ??= fault;
      },
    });
    if (!error) return undefined;
    signal?.throwIfAborted();
    const isDecision = hubFault === undefined && isOwnError(failure);
    if (event === 'validate-connection' && !isDecision)
      throw new HomeportError(
        'validation_unavailable',
        `The connection could not be checked: ${error.message} Nothing was refused; the check runs again.`,
        { cause: hubFault ?? error },
      );
    return { message: refusalText(error.payload) ?? error.message, operationId: operation.id };
  }

  /** Whether the function itself threw: not the hub, and not a limit of the run. */
  function isOwnError(failure: RunFailure | undefined): boolean {
    return failure?.kind === 'thrown' && !LIMITS.has(failure.error.code ?? '') && !vault.isLocked;
  }

  function start(context: ConnectionContext, event: LifecycleEvent, name: string, trigger: string): Operation {
    return log.start({
      environmentId: context.environment.id,
      type: 'events',
      action: ACTIONS[event],
      message: `${name} on ${event}`,
      integrationKey: context.integration.uniqueKey,
      providerName: context.integration.provider,
      connectionId: context.connection.connectionId,
      functionName: name,
      trigger,
    });
  }

  async function execute(
    context: ConnectionContext,
    deployed: RunnableFunction,
    operation: Operation,
    { signal, onHubFault }: { signal: AbortSignal | undefined; onHubFault?: RunRequest['onHubFault'] },
  ): Promise<{ error?: HomeportError; failure?: RunFailure; output?: unknown }> {
    const outcome = await runs.execute({
      ...context,
      deployed,
      scriptType: 'on-event',
      operation,
      timeoutMs: RUN_TIMEOUT_MS['on-event'],
      startWithinMs: ON_EVENT_START_WITHIN_MS,
      onHubFault,
      ...(signal ? { signal } : {}),
    });
    if (outcome.ok) {
      operation.finish('success');
      return { output: outcome.output };
    }
    const error = toRunError(outcome.failure, deployed.name, 'on_event_script_failure');
    operation.finish(toFinalState(outcome.failure), {
      error: { message: error.message, type: error.code, payload: error.payload },
    });
    return { error, failure: outcome.failure };
  }

  return {
    async hasFunctions(environment: Environment, integration: Integration, event: LifecycleEvent): Promise<boolean> {
      return (await names(environment, integration, event)).length > 0;
    },
    /**
     * Resolves to the failures, in order; a refusal by `validate-connection` ends the sequence. Throws when the signal
     * aborts, and `validation_unavailable` when a validation ended without the function's decision (design.md 7.54).
     */
    async run(
      context: ConnectionContext,
      event: LifecycleEvent,
      signal?: AbortSignal,
    ): Promise<Array<{ message: string; operationId: string }>> {
      const failures: Array<{ message: string; operationId: string }> = [];
      for (const name of await names(context.environment, context.integration, event)) {
        const failure = await runOne(context, event, name, signal);
        if (failure) failures.push(failure);
        if (failure && event === 'validate-connection') break;
      }
      return failures;
    },
    /** Runs one handler at a person's request. Throws its failure. */
    async try(
      context: ConnectionContext,
      deployed: RunnableFunction,
      {
        signal,
        onStarted,
        trigger,
      }: { signal: AbortSignal; onStarted: (operationId: string) => void; trigger: string },
    ): Promise<unknown> {
      const { definition, name } = deployed;
      if (definition.type !== 'on-event') throw new Error(`${name} is not an event handler`);
      const operation = start(context, definition.event, name, trigger);
      onStarted(operation.id);
      const { error, output } = await execute(context, deployed, operation, { signal });
      if (error) throw error;
      return output;
    },
  };
}

/** The text of a refusal (http-api.md 4): the payload's `message`, else its `error`. */
function refusalText(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const { message, error } = payload as { message?: unknown; error?: unknown };
  if (typeof message === 'string') return message;
  return typeof error === 'string' ? error : undefined;
}
