import type { ErrorCode } from '../contract/error-codes.ts';
import type { Issue } from '../contract/issue.ts';
import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { Database } from '../platform/database/database.ts';
import { removeInSlices } from '../platform/database/remove-in-slices.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { PeriodicSweep } from '../platform/lib/periodic-sweep.ts';
import type { Scheduler } from '../platform/scheduler/scheduler.ts';
import type { SeenTime } from '../platform/scheduler/seen-time.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { NotificationsService } from '../webhooks-out/notifications.service.ts';
import { type ActionCallRow, ActionCallsStore } from './action-calls.store.ts';
import { type ActionCall, type ActionsService, callContext } from './actions.service.ts';

/** Kind of the job that runs one call. */
export const RUN_ACTION = 'run-action';

/** Responses stay readable this long (webhooks.md 3). */
const KEEP_RESPONSES_MS = 5 * 24 * 3_600_000;
const SWEEP_EVERY_MS = 3_600_000;
/** Calls removed per transaction. */
const SLICE = 500;

interface OpenCall {
  id: string;
  environment: Environment;
  call: StoredCall;
}

type StoredCall = Pick<ActionCall, 'integrationKey' | 'connectionId' | 'actionName' | 'input' | 'subjects'>;

export type BackgroundActions = ReturnType<typeof createBackgroundActions>;

/**
 * Actions whose callers do not wait: they are queued and run in order, and their responses are stored (http-api.md 8).
 */
export function createBackgroundActions({
  database,
  vault,
  clock,
  logger,
  seenTime,
  ids,
  scheduler,
  environments,
  actions,
  notifications,
}: {
  database: Database;
  vault: Vault;
  clock: Clock;
  logger: Logger;
  seenTime: Pick<SeenTime, 'isDoubtful'>;
  ids: Ids;
  scheduler: Scheduler;
  environments: EnvironmentService;
  actions: ActionsService;
  notifications: Pick<NotificationsService, 'notifyAsyncAction'>;
}) {
  const calls = new ActionCallsStore();
  const sweeps = new PeriodicSweep({
    clock,
    logger,
    intervalMs: SWEEP_EVERY_MS,
    seenTime,
    sweep: (isStopped) => removeOld(isStopped),
    failureMessage: 'Old responses of actions could not be removed; trying again in an hour.',
  });

  async function removeOld(isStopped: () => boolean): Promise<void> {
    const before = clock.now() - KEEP_RESPONSES_MS;
    await removeInSlices({ database, sliceSize: SLICE, isStopped }, (tx) => calls.removeOlderThan(tx, before, SLICE));
  }

  /**
   * The call; undefined when it already has a response, because the program ended after the response was stored and
   * before the job was completed.
   */
  function openCall(row: ActionCallRow | undefined): OpenCall | undefined {
    const environment = row && environments.find(row.environmentId);
    if (!row || !environment || row.response !== null) return undefined;
    return { id: row.id, environment, call: vault.openJson<StoredCall>(row.request, callContext(row.id, 'request')) };
  }

  /** Stores the response and enqueues its webhook in one transaction. */
  async function store(
    { id, environment, call }: OpenCall,
    response: ActionResponse,
    operationId?: string,
  ): Promise<void> {
    const { actionName, connectionId, integrationKey: providerConfigKey } = call;
    const sealed = vault.sealJson(response, callContext(id, 'answer'));
    await database.transaction(async (tx) => {
      if (!(await calls.setResponse(tx, id, sealed))) return;
      const event = { environment, providerConfigKey, connectionId, actionName, callId: id, operationId };
      await notifications.notifyAsyncAction(event, tx);
    });
  }

  return {
    /** Starts the removal of old responses. */
    start(): void {
      sweeps.start();
    },
    stop(): Promise<void> {
      return sweeps.stop();
    },
    /** Queues the call after the same checks as for a synchronous call; resolves to its id. */
    async enqueue(call: ActionCall, maxRetries: number): Promise<string> {
      await actions.check(call);
      const id = ids.uuid();
      const { integrationKey, connectionId, actionName, input, subjects } = call;
      const stored: StoredCall = {
        integrationKey,
        connectionId,
        actionName,
        ...(input === undefined ? {} : { input }),
        ...(subjects === undefined ? {} : { subjects }),
      };
      await database.transaction(async (tx) => {
        const request = vault.sealJson(stored, callContext(id, 'request'));
        await calls.insert(tx, { id, environmentId: call.environment.id, request, now: clock.now() });
        await scheduler.enqueue(tx, {
          kind: RUN_ACTION,
          payload: { callId: id },
          group: String(call.environment.id),
          maxAttempts: 1 + maxRetries,
        });
      });
      return id;
    },
    /** Runs one attempt. A failure that may be retried is thrown; the failure of the last attempt is the response. */
    async run(callId: string, isLastAttempt: boolean, signal: AbortSignal): Promise<void> {
      const open = openCall(await calls.find(database.reader, callId));
      if (!open) return;
      let operationId: string | undefined;
      const onStarted = (id: string): void => {
        operationId = id;
      };
      const { call, environment } = open;
      let response: ActionResponse;
      try {
        const { output } = await actions.trigger({
          ...call,
          environment,
          trigger: 'api',
          isInBackground: true,
          signal,
          onStarted,
        });
        response = { ok: true, output };
      } catch (error) {
        if (!(error instanceof HomeportError) || !isLastAttempt) throw error;
        response = toResponse(error);
      }
      await store(open, response, operationId);
    },
    /** Stores a failure when the call did not start in time, or when the program ended meanwhile. */
    async giveUp(callId: string, reason: string): Promise<void> {
      const text = `The action did not finish: ${reason}.`;
      const open = openCall(await calls.find(database.reader, callId));
      if (!open) return;
      const error = new HomeportError('action_script_failure', text, { payload: { error: text } });
      await store(open, toResponse(error));
    },
    /** The output as JSON text. Throws the failure of a failed call, and `not_found` for an open or unknown call. */
    async readResponse(environmentId: number, callId: string): Promise<string> {
      const row = await calls.find(database.reader, callId);
      const isOwn = row?.environmentId === environmentId;
      const response =
        isOwn && row.response !== null
          ? vault.openJson<ActionResponse>(row.response, callContext(callId, 'answer'))
          : undefined;
      if (response && !response.ok) throw fromResponse(response);
      if (!response || response.output === 'null') throw new HomeportError('not_found', `No action '${callId}' found`);
      return response.output;
    },
  };
}

/** The stored outcome of a background call: everything that the response of a synchronous call contains. */
type ActionResponse =
  | { ok: true; output: string }
  | {
      ok: false;
      code: ErrorCode;
      message: string;
      status: number;
      silent: boolean;
      payload?: unknown;
      issues?: Issue[] | undefined;
      members?: Record<string, unknown> | undefined;
      body?: Record<string, unknown> | undefined;
    };

function toResponse(error: HomeportError): ActionResponse {
  const { code, message, status, silent, payload, issues, members, body } = error;
  return { ok: false, code, message, status, silent, payload, issues, members, body };
}

function fromResponse(response: Extract<ActionResponse, { ok: false }>): HomeportError {
  const { code, message, status, silent, payload, issues, members, body } = response;
  return new HomeportError(code, message, {
    status,
    silent,
    ...(payload === undefined ? {} : { payload }),
    ...(issues ? { issues } : {}),
    ...(members ? { members } : {}),
    ...(body ? { body } : {}),
  });
}
