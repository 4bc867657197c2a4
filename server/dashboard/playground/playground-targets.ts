import type { StoredConnection } from '../../connections/connection.ts';
import type { ConnectionsService } from '../../connections/connections.service.ts';
import type { Environment, EnvironmentService } from '../../environments/environment.service.ts';
import type { ActionsService } from '../../functions/actions.service.ts';
import type { DeployedFunction, RunnableFunction } from '../../functions/deployments/deployed-function.ts';
import type { DeploymentsService } from '../../functions/deployments/deployments.service.ts';
import type { Recorder } from '../../functions/dry-run/recorder.ts';
import type { FunctionTestsService } from '../../functions/function-tests.service.ts';
import type { DryRunsService } from '../../functions/tasks/dry-runs.service.ts';
import type { Integration } from '../../integrations/integration.ts';
import type { IntegrationsService } from '../../integrations/integrations.service.ts';
import type { OnEventRunner } from '../../lifecycle/on-event-runner.ts';
import type { LoggedOperation } from '../../log/logged-entries.ts';
import type { LogsService } from '../../log/logs.service.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import { readStart } from '../../platform/lib/outbound-exchange.ts';
import { SecretReplacer } from '../../platform/lib/secret-replacer.ts';
import type { ProxyService } from '../../proxy/proxy.service.ts';
import type { RecordsService } from '../../records/records.service.ts';
import type { SyncSchedulesService } from '../../syncs/sync-schedules.service.ts';
import type { IncomingService } from '../../webhooks-in/incoming.service.ts';
import type { PlaygroundRequest } from '../dashboard-playground.contract.ts';
import { fillVariables } from './fill-variables.ts';
import type { PlaygroundResult } from './playground.service.ts';
import { bodyOf, viewResponse } from './playground-exchange.ts';

export interface PlaygroundTargetDeps {
  clock: Clock;
  logs: LogsService;
  integrations: IntegrationsService;
  environments: Pick<EnvironmentService, 'listVariables'>;
  connections: ConnectionsService;
  deployments: DeploymentsService;
  actions: ActionsService;
  dryRuns: DryRunsService;
  functionTests: FunctionTestsService;
  schedules: SyncSchedulesService;
  proxy: ProxyService;
  incoming: Pick<IncomingService, 'archive' | 'repeat'>;
  onEvents: Pick<OnEventRunner, 'try'>;
  records: Pick<RecordsService, 'list'>;
}

type RequestOf<Kind extends PlaygroundRequest['kind']> = Extract<PlaygroundRequest, { kind: Kind }>;
/** Runs the work; rejects with its failure. */
export type PreparedRun = (signal: AbortSignal, onStarted: (operationId: string) => void) => Promise<PlaygroundResult>;

interface PlaygroundTarget {
  environment: Environment;
  integration: Integration;
  connection: StoredConnection;
}

const POLL_MS = 250;
/** Operations among which the one of a sync's variant is searched. */
const MAX_SEARCHED_OPERATIONS = 100;
/** Size up to which a provider's response is shown. */
const SHOWN_BYTES = 1024 * 1024;
const TRIGGER = 'ui';
const LIVE_SYNC = 'A live run belongs to the schedule of the sync. Choose a dry run to save one as a fixture.';

export type PlaygroundTargets = ReturnType<typeof createPlaygroundTargets>;

/** Prepares the runs of the playground. Each kind of run uses the service that also runs it outside the playground. */
export function createPlaygroundTargets(use: PlaygroundTargetDeps) {
  const { clock, logs, integrations, environments, connections, deployments, actions, dryRuns, functionTests } = use;
  const { schedules, proxy, incoming, onEvents, records } = use;
  /**
   * The run, and the row id of its connection. Throws when the connection or the function does not exist, or when the
   * input is invalid.
   */
  async function prepare(
    environment: Environment,
    request: PlaygroundRequest,
  ): Promise<{ run: PreparedRun; connectionRowId: number }> {
    const target = await find(environment, request);
    return { run: await prepareRun(target, request), connectionRowId: target.connection.id };
  }

  function prepareRun(target: PlaygroundTarget, request: PlaygroundRequest): Promise<PreparedRun> {
    switch (request.kind) {
      case 'action':
        if (request.mode === 'replay') return replay(target, request);
        return request.mode === 'dry' ? tryFunction(target, request) : runAction(target, request);
      case 'sync':
        if (request.mode === 'replay') return replay(target, request);
        return request.mode === 'dry' ? tryFunction(target, request) : runSync(target, request);
      case 'proxy':
        return callProxy(target, request);
      case 'webhook':
        return repeatWebhook(target, request);
      case 'event':
        return runHandler(target, request);
      case 'records':
        return readRecords(target, request);
    }
  }

  /** Cancels a live sync, which the scheduler runs. The signal of `PreparedRun` ends all other runs. */
  async function cancel(environmentId: number, request: PlaygroundRequest): Promise<void> {
    if (request.kind !== 'sync' || request.mode !== 'live') return;
    await schedules.commands.cancel(selectionOf(environmentId, request));
  }

  async function find(
    environment: Environment,
    { integrationKey, connectionId }: PlaygroundRequest,
  ): Promise<PlaygroundTarget> {
    const integration = await integrations.find(environment.id, integrationKey);
    const connection = integration && (await connections.find(integration, connectionId));
    if (!integration || !connection)
      throw new HomeportError(
        'not_found',
        `There is no connection "${connectionId}" of the integration "${integrationKey}".`,
      );
    return { environment, integration, connection };
  }

  async function findFunction(
    { environment, integration }: PlaygroundTarget,
    { kind, name }: RequestOf<'action' | 'sync' | 'event'>,
  ): Promise<RunnableFunction> {
    const type = kind === 'event' ? 'on-event' : kind;
    const found = await deployments.findActive(environment.id, integration.uniqueKey, type, name);
    if (!found)
      throw new HomeportError(
        'not_found',
        `The integration "${integration.uniqueKey}" has no ${type === 'on-event' ? 'event handler' : type} "${name}" that can run.`,
      );
    return found;
  }

  async function tryFunction(target: PlaygroundTarget, request: RequestOf<'action' | 'sync'>): Promise<PreparedRun> {
    const deployed = await findFunction(target, request);
    const given =
      request.kind === 'action'
        ? { ...(request.input === undefined ? {} : { input: request.input }) }
        : {
            variant: request.variant,
            ...(request.metadata ? { metadata: request.metadata } : {}),
            ...(request.checkpoint ? { checkpoint: request.checkpoint } : {}),
          };
    return async (signal, onStarted) => {
      const recorder = await openRecorder(target, deployed);
      const options = { deployed, signal, onStarted, ...(recorder ? { recorder } : {}) };
      const tried = await dryRuns.tryLive({ ...target, ...given, ...options });
      const { effects } = tried;
      if (!tried.ok) return { effects, failure: tried.failure };
      const { output, records } = tried;
      if (request.kind === 'action') {
        const recorded = await record(target, deployed, recorder, { input: request.input, output });
        return { output, effects, recorded };
      }
      const start = request.checkpoint ? { checkpoint: request.checkpoint } : {};
      return { effects, recorded: await record(target, deployed, recorder, { ...start, records }) };
    };
  }

  /** Replays the saved fixture, without network and without storing data. */
  async function replay(target: PlaygroundTarget, request: RequestOf<'action' | 'sync'>): Promise<PreparedRun> {
    const deployed = await findFunction(target, request);
    return async (signal) => {
      const { result, actual } = await functionTests.replayFirst(deployed, signal);
      const { path, differences, unsent, message: note } = result;
      const replay = { path, differences: differences.length, unsent, note };
      if (request.kind === 'action') return { output: actual.output, replay };
      const { batchSave: added, batchDelete: deleted } = actual;
      return { effects: { added, updated: {}, deleted, checkpoint: null }, replay };
    };
  }

  /** Undefined when a run of the function cannot be saved. */
  async function openRecorder(
    { connection }: PlaygroundTarget,
    deployed: DeployedFunction,
  ): Promise<Recorder | undefined> {
    return functionTests.whyNotSaved(deployed) === undefined ? functionTests.openRecorder(connection) : undefined;
  }

  async function record(
    { connection }: PlaygroundTarget,
    deployed: DeployedFunction,
    recorder: Recorder | undefined,
    { input, ...run }: Parameters<Recorder['finish']>[0],
  ): Promise<NonNullable<PlaygroundResult['recorded']>> {
    if (!recorder) return { problem: functionTests.whyNotSaved(deployed) ?? '' };
    if (recorder.isTooLarge)
      return { problem: 'The requests and responses are larger than 10 MB, which is too large for a fixture.' };
    await functionTests.learn(recorder, connection);
    return { deployed, recording: recorder.finish({ ...(input === undefined ? {} : { input }), ...run }) };
  }

  async function runAction(target: PlaygroundTarget, request: RequestOf<'action'>): Promise<PreparedRun> {
    const { environment } = target;
    const { integrationKey, connectionId, name: actionName, input } = request;
    const call = {
      environment,
      integrationKey,
      connectionId,
      actionName,
      trigger: TRIGGER,
      ...(input === undefined ? {} : { input: JSON.stringify(input) }),
    } as const;
    await actions.check(call);
    const deployed = await findFunction(target, request);
    return async (signal, onStarted) => {
      const recorder = await openRecorder(target, deployed);
      const options = { signal, onStarted, ...(recorder ? { recorder } : {}) };
      const { output: text } = await actions.trigger({ ...call, ...options });
      const output: unknown = JSON.parse(text);
      return { output, recorded: await record(target, deployed, recorder, { input, output }) };
    };
  }

  /**
   * The scheduler runs the sync as usual; this waits for its operation in the log. Without a reset, a run in progress
   * is the result, because the scheduler then starts no second one.
   */
  async function runSync(target: PlaygroundTarget, request: RequestOf<'sync'>): Promise<PreparedRun> {
    await findFunction(target, request);
    const { environment, integration, connection } = target;
    const query = {
      environmentId: environment.id,
      types: ['sync:run'],
      integrations: [integration.uniqueKey],
      connections: [connection.connectionId],
      functions: [request.name],
      limit: MAX_SEARCHED_OPERATIONS,
    };
    const findNewest = async (from?: number): Promise<LoggedOperation | undefined> => {
      const { operations } = await logs.listOperations({ ...query, from });
      return operations.find(({ variant }) => variant === request.variant);
    };
    return async (signal, onStarted) => {
      const startedAt = clock.now();
      const newest = request.isFull ? undefined : await findNewest();
      const inProgress = newest?.endedAt === null ? newest.id : undefined;
      await schedules.commands.trigger({ ...selectionOf(environment.id, request), reset: request.isFull });
      for (;;) {
        const operation =
          inProgress === undefined ? await findNewest(startedAt) : await logs.findOperation(environment.id, inProgress);
        if (operation) onStarted(operation.id);
        if (operation && operation.endedAt !== null) {
          if (operation.state === 'success') return { recorded: { problem: LIVE_SYNC } };
          throw new HomeportError('sync_script_failure', operation.error?.message ?? `The run was ${operation.state}.`);
        }
        await clock.sleep(POLL_MS, signal);
      }
    };
  }

  async function callProxy({ environment }: PlaygroundTarget, given: RequestOf<'proxy'>): Promise<PreparedRun> {
    const { request, secrets } = fillVariables(given, await environments.listVariables(environment.id));
    // In JSON a value may be escaped.
    const shown = new SecretReplacer(secrets.flatMap((one) => [one, JSON.stringify(one).slice(1, -1)]));
    const { integrationKey, connectionId, method, endpoint, headers, baseUrlOverride, retries } = request;
    const body = bodyOf(request);
    return async (signal, onStarted) => {
      const message = `${method} request to ${integrationKey}`;
      const start = { environmentId: environment.id, integrationKey, connectionId, trigger: TRIGGER, message, secrets };
      const operation = logs.start({ ...start, type: 'proxy', action: 'call' });
      onStarted(operation.id);
      try {
        const response = await proxy.call({
          target: { environmentId: environment.id, integrationKey, connectionId },
          method,
          endpoint: endpoint.startsWith('/') ? endpoint : `/${endpoint}`,
          headers,
          retries,
          signal,
          ...(body ? { body } : {}),
          ...(baseUrlOverride ? { baseUrlOverride } : {}),
          log: { operation, context: 'proxy', secrets },
        });
        const { start: bytes, isCut } = await readStart(response.body, SHOWN_BYTES);
        response.tap?.take(bytes);
        response.tap?.end(isCut);
        operation.finish(isRefused(response) ? 'failed' : 'success', { meta: { status: response.status } });
        return { response: withoutSecrets(viewResponse(response, bytes, isCut), shown) };
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        operation.finish(signal.aborted ? 'cancelled' : 'failed', { error: { message: text } });
        if (error instanceof Error) error.message = shown.replace(error.message);
        throw error;
      }
    };
  }

  async function runHandler(target: PlaygroundTarget, request: RequestOf<'event'>): Promise<PreparedRun> {
    const deployed = await findFunction(target, request);
    return async (signal, onStarted) => ({
      output: await onEvents.try(target, deployed, { signal, onStarted, trigger: TRIGGER }),
    });
  }

  /** The page that `GET /records` returns. */
  async function readRecords({ connection }: PlaygroundTarget, request: RequestOf<'records'>): Promise<PreparedRun> {
    const { model, variant, limit, filter, ids, modifiedAfter, cursor } = request;
    return async () => {
      const page = await records.list({
        ...{ connectionRowId: connection.id, model, variant, limit },
        ...(cursor === undefined ? {} : { cursor }),
        ...(modifiedAfter === undefined ? {} : { modifiedAfter }),
        ...(filter.length === 0 ? {} : { filter }),
        ...(ids.length === 0 ? {} : { ids }),
      });
      return { output: { next_cursor: page.nextCursor, records: page.records.map(({ json }) => JSON.parse(json)) } };
    };
  }

  /** Repeats the webhook for this connection; ends when the handlers that it started have ended. */
  async function repeatWebhook({ environment }: PlaygroundTarget, request: RequestOf<'webhook'>): Promise<PreparedRun> {
    await incoming.archive.get(environment.id, request.webhookId);
    return async (signal, onStarted) => {
      const edits = { connectionIds: [request.connectionId], skipsSignature: true };
      const { id } = await incoming.repeat(environment, request.webhookId, { ...NOTHING_EDITED, ...edits });
      for (;;) {
        const { runs, outcome, message } = await incoming.archive.get(environment.id, id);
        const operationId = runs.find((run) => run.operationId)?.operationId;
        if (operationId) onStarted(operationId);
        if (runs.every(({ state }) => state !== 'queued' && state !== 'running')) {
          const failed = runs.find(({ state }) => state !== 'success');
          if (outcome === 'error' || outcome === 'refused')
            throw new HomeportError('invalid_request', message ?? 'The webhook could not be accepted.');
          if (failed)
            throw new HomeportError(
              'sync_script_failure',
              `${failed.functionName} ${failed.state}; its log has the reason.`,
            );
          return { webhookId: id, output: { runs: runs.map(({ functionName, state }) => ({ functionName, state })) } };
        }
        await clock.sleep(POLL_MS, signal);
      }
    };
  }

  return { prepare, cancel };
}

/** A response may repeat what was sent. */
function withoutSecrets(
  { body, headers, ...response }: NonNullable<PlaygroundResult['response']>,
  shown: SecretReplacer,
): NonNullable<PlaygroundResult['response']> {
  return {
    ...response,
    body: shown.replace(body),
    headers: headers.map(({ name, value }) => ({ name, value: shown.replace(value) })),
  };
}

/** Whether the provider refused a request: it was sent, and has failed. */
export const isRefused = ({ status }: { status: number }): boolean => status >= 400;

const NOTHING_EDITED = { query: undefined, headers: undefined, body: undefined };

function selectionOf(environmentId: number, { integrationKey, connectionId, name, variant }: RequestOf<'sync'>) {
  return {
    environmentId,
    providerConfigKey: integrationKey,
    connectionId,
    syncs: [{ name, variant }],
    trigger: TRIGGER,
  };
}
