import type {
  DryRunMethod,
  GuestHttpRequest,
  GuestHttpResponse,
  HostMethod,
  HostMethods,
  HostTable,
} from '../../../functions/runtime/bridge.ts';
import { presentFullConnection } from '../../connections/connection.present.ts';
import type { StoredConnection } from '../../connections/connection.ts';
import type { ConnectionsService } from '../../connections/connections.service.ts';
import type { EnvironmentService } from '../../environments/environment.service.ts';
import { presentIntegration } from '../../integrations/integration.present.ts';
import { integrationExtras } from '../../integrations/integration-extras.present.ts';
import type { IntegrationsService } from '../../integrations/integrations.service.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import { HomeportError, isHubFault } from '../../platform/lib/homeport-error.ts';
import { OutboundError } from '../../platform/lib/outbound-error.ts';
import { readBody } from '../../platform/lib/outbound-exchange.ts';
import type { OutboundHttp } from '../../platform/lib/outbound-http.ts';
import { secretsOf } from '../../platform/lib/secrets.ts';
import { isSuccessStatus } from '../../platform/lib/success-status.ts';
import { HostCallError } from '../../platform/sandbox/host-call-error.ts';
import { refusedByProvider, withoutResponse } from '../../platform/sandbox/refused-request.ts';
import { RUN_LIMITS } from '../../platform/sandbox/run-limits.ts';
import { fetchUncontrolled } from '../../platform/sandbox/uncontrolled-fetch.ts';
import {
  type ProxyCall,
  ProxyRequestError,
  type ProxyResponse,
  type ProxyService,
  type ProxyTargetRef,
} from '../../proxy/proxy.service.ts';
import type { CheckpointSession, LockSession, RecordSession } from '../../records/records.service.ts';
import type { Recorder } from '../dry-run/recorder.ts';
import type { RecordsChange } from './log-record-change.ts';
import type { RunResponses } from './response-budget.ts';
import type { DryParts, FunctionCalls, RunRequest } from './run-request.ts';

/** Everything that a run may use; each part is bound to the run's connection. */
interface HostParts {
  runConnection: RunConnection;
  http: RunHttp;
  functionCalls: FunctionCalls;
  checkpoint: CheckpointSession;
  locks: LockSession;
  /** Only syncs and webhook handlers have records. */
  records: RecordSession | undefined;
  clock: Clock;
  onRecordsChanged(change: RecordsChange): void;
  onCost(amount: number): Promise<void>;
  /** Receives what an action keeps for its undo, as JSON text. */
  onKept(value: string | null): void;
  /** Replaces the methods that store data, in a dry run. */
  dry?: DryMethods;
  /** Limits the methods, for code that no person has read. */
  guarded?: (table: HostTable) => HostTable;
  /** Records the responses. */
  recorder?: Recorder;
  onHubFault?: ((error: unknown) => void) | undefined;
}

type HostCall = <M extends HostMethod>(
  method: M,
  args: HostMethods[M]['args'],
  signal: AbortSignal,
) => Promise<HostMethods[M]['result']>;

/** Creates the host side of a run: one row per method of the bridge. */
export function createHostCall(parts: HostParts): HostCall {
  const all: HostTable = { ...hostTable(parts), ...parts.dry };
  const own = parts.guarded?.(all) ?? all;
  const table = parts.recorder?.methods(own) ?? own;
  return async (method, args, signal) => {
    try {
      return await table[method](args, signal);
    } catch (error) {
      if (!(error instanceof HostCallError) && isHubFault(error)) parts.onHubFault?.(error);
      throw error;
    }
  };
}

function hostTable(parts: HostParts): HostTable {
  const {
    runConnection: target,
    http,
    functionCalls: otherFunctions,
    checkpoint,
    locks,
    records,
    clock,
    onRecordsChanged,
    onCost,
    onKept,
  } = parts;
  const session = (): RecordSession => {
    if (!records) throw new HomeportError('invalid_record', 'Only syncs have records; this function is not a sync.');
    return records;
  };
  const reportChange = async <T extends RecordsChange['result']>(model: string, change: Promise<T>): Promise<T> => {
    const startedAt = clock.now();
    const result = await change;
    onRecordsChanged({ model, result, durationMs: clock.now() - startedAt });
    return result;
  };
  return {
    'http.request': (args, signal) => http.request(args, signal),
    'http.uncontrolledFetch': (args, signal) => http.uncontrolledFetch(args, signal),
    'connection.get': (args) => target.readConnection(args),
    'metadata.set': (args) => target.changeMetadata(args.metadata, 'replace'),
    'metadata.update': (args) => target.changeMetadata(args.metadata, 'merge'),
    'integration.get': (args) => target.readIntegration(args.include),
    'environment.variables': () => target.listVariables(),
    'action.trigger': (args, signal) => otherFunctions.triggerAction(args, signal),
    'sync.trigger': (args) => otherFunctions.triggerSync(args),
    'sync.start': (args) => otherFunctions.startSyncs(args),
    'records.save': (args) => reportChange(args.model, session().save(args.model, args.records)),
    'records.update': (args) => reportChange(args.model, session().update(args.model, args.records)),
    'records.delete': (args) => reportChange(args.model, session().remove(args.model, args.ids)),
    'records.getByIds': (args) => session().getByIds(args.model, args.ids),
    'records.list': (args) =>
      session().list(args.model, { limit: args.limit, ...(args.cursor === undefined ? {} : { cursor: args.cursor }) }),
    'records.setMergingStrategy': async (args) => {
      await session().setMergingStrategy(args.model, args.strategy);
      return null;
    },
    'records.trackDeletesStart': async (args) => {
      await session().trackDeletesStart(args.model);
      return null;
    },
    'records.trackDeletesEnd': (args) => reportChange(args.model, session().trackDeletesEnd(args.model)),
    'records.deleteFromPreviousExecutions': (args) =>
      reportChange(args.model, session().deleteFromPreviousExecutions(args.model)),
    'checkpoint.get': () => checkpoint.get(),
    'checkpoint.save': async (args) => {
      await checkpoint.save(args.checkpoint);
      return null;
    },
    'checkpoint.clear': async () => {
      await checkpoint.clear();
      return null;
    },
    'cost.report': async ({ amount }) => {
      await onCost(amount);
      return null;
    },
    'lock.acquire': (args) => locks.acquire(args.key, args.ttlMs),
    'lock.release': (args) => locks.release(args.key),
    'undo.keep': async (args) => {
      onKept(args.value);
      return null;
    },
    'lock.releaseAll': async () => {
      await locks.releaseAll();
      return null;
    },
  };
}

type DryMethods = Pick<HostTable, DryRunMethod<'memory' | 'own'>>;

/** Creates the host side of a run that stores nothing (http-api.md 14). Until it ends, it reads what it has written. */
export function createDryMethods(
  runConnection: RunConnection,
  run: RunRequest,
  { memory, metadata }: DryParts,
): DryMethods {
  let currentMetadata = metadata;
  const isOwn = ({ connectionId, providerConfigKey }: HostMethods['connection.get']['args']): boolean =>
    (connectionId ?? run.connection.connectionId) === run.connection.connectionId &&
    (providerConfigKey ?? run.integration.uniqueKey) === run.integration.uniqueKey;
  return {
    ...memory.methods(),
    'connection.get': async (args) => {
      const connection = await runConnection.readConnection(args);
      return currentMetadata && isOwn(args) ? { ...connection, metadata: currentMetadata } : connection;
    },
    'metadata.set': async (args) => {
      currentMetadata = args.metadata;
      return runConnection.describeMetadata(args.metadata);
    },
    'metadata.update': async (args) => {
      currentMetadata = { ...(currentMetadata ?? run.connection.metadata), ...args.metadata };
      return runConnection.describeMetadata(args.metadata);
    },
    'sync.trigger': async () => null,
  };
}

export type RunHttp = ReturnType<typeof createRunHttp>;

/** The network for a run: requests to providers with credentials, and plain fetch. */
export function createRunHttp({
  run,
  proxy,
  http,
  deadlineMs,
  responses,
}: {
  run: RunRequest;
  proxy: ProxyService;
  http: OutboundHttp;
  /** Milliseconds since the epoch: waits between attempts do not exceed it. */
  deadlineMs: number;
  responses: RunResponses;
}) {
  return {
    async request(request: GuestHttpRequest, signal: AbortSignal): Promise<HostMethods['http.request']['result']> {
      const { environment, integration, connection, operation } = run;
      const current = {
        environmentId: environment.id,
        integrationKey: integration.uniqueKey,
        connectionId: connection.connectionId,
        isUpkeep: isOwnStep(run),
      };
      let response: ProxyResponse | undefined;
      const written = run.writes?.note(request);
      try {
        response = await proxy.call({
          ...fromGuestRequest(request, current),
          signal,
          deadlineMs,
          log: { operation, context: 'script' },
        });
        const received = response;
        written?.answered(received.status, received.describeRequest().url);
        const guard = run.dry?.guard;
        const body = await responses.hold(async (reserve) => {
          const answer = await toGuestResponse(received, request.expect, {
            limitBytes: RUN_LIMITS.messageBytes,
            reserve,
          });
          return guard ? guard.clean(answer) : answer;
        });
        run.recorder?.note(request, body);
        const { config, ...plain } = body;
        if (isSuccessStatus(body.status)) return body;
        const refused = refusedByProvider(plain, config, received.foreignHost);
        responses.pass(body, refused.wire);
        throw refused;
      } catch (error) {
        // Has no effect after a complete body.
        response?.tap?.end(true);
        if (error instanceof ProxyRequestError) throw withoutResponse(error.code, error.message, error.request);
        if (error instanceof OutboundError) throw withoutResponse(error.code, error.message);
        throw error;
      }
    },
    async uncontrolledFetch(
      args: HostMethods['http.uncontrolledFetch']['args'],
      signal: AbortSignal,
    ): Promise<GuestHttpResponse & { url: string }> {
      const { environment } = run;
      const written = run.writes?.noteFetch(args);
      const response = await fetchUncontrolled(http, args, environment.settings.allowedHosts, signal);
      written?.answered(response.status, response.url.href);
      const headers = Object.entries(response.headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as const],
      );
      return responses.hold(async (reserve) => ({
        status: response.status,
        statusText: response.statusText,
        headers: Object.fromEntries(headers),
        body: await readBody(response.body, RUN_LIMITS.messageBytes, reserve),
        url: response.url.href,
      }));
    },
  };
}

/** Converts a function's request to a call; the request may name another connection than the run's. */
export function fromGuestRequest(request: GuestHttpRequest, current: ProxyTargetRef): ProxyCall {
  const { providerConfigKey, connectionId, expect: _expect, decompress: _always, ...rest } = request;
  return {
    ...rest,
    target: {
      environmentId: current.environmentId,
      integrationKey: providerConfigKey ?? current.integrationKey,
      connectionId: connectionId ?? current.connectionId,
    },
  };
}

/**
 * Converts the response to the form that the function asked for. Rejects with OutboundError beyond the limit or for a
 * broken body.
 */
export async function toGuestResponse(
  response: ProxyResponse,
  expect: GuestHttpRequest['expect'],
  { limitBytes, reserve }: { limitBytes: number; reserve?: (bytes: number) => Promise<void> | undefined },
): Promise<HostMethods['http.request']['result']> {
  const { tap } = response;
  const bytes = await readBody(response.body, limitBytes, reserve, tap && ((chunk) => tap.take(chunk)));
  tap?.end();
  const headers = Object.entries(response.headers).flatMap(([name, value]): Array<[string, string | string[]]> => {
    if (value === undefined) return [];
    return [[name, Array.isArray(value) && name !== 'set-cookie' ? value.join(', ') : value]];
  });
  return {
    status: response.status,
    statusText: response.statusText,
    headers: Object.fromEntries(headers),
    body: expect === 'bytes' ? bytes : bytes.toString('utf8'),
    config: response.describeRequest(),
  };
}

interface ConnectionArgs {
  providerConfigKey?: string;
  connectionId?: string;
  refreshToken?: boolean;
  forceRefresh?: boolean;
  refreshGithubAppJwtToken?: boolean;
}

export type RunConnection = ReturnType<typeof createRunConnection>;

/** The connection, integration and environment of a run (functions.md 3.4). */
export function createRunConnection({
  run,
  integrations,
  connections,
  environments,
  localBase,
  publicBase,
}: {
  run: RunRequest;
  integrations: IntegrationsService;
  connections: ConnectionsService;
  environments: EnvironmentService;
  /** Origins for addresses in responses: the local and the public one. */
  localBase(): string;
  publicBase(): string;
}) {
  /** The body with which the HTTP API answers a change of metadata: the body of the request. */
  function describeMetadata(metadata: Record<string, unknown>): Record<string, unknown> {
    const { connection, integration } = run;
    return { connection_id: connection.connectionId, provider_config_key: integration.uniqueKey, metadata };
  }

  async function findConnection(args: ConnectionArgs): Promise<StoredConnection> {
    const key = args.providerConfigKey ?? run.integration.uniqueKey;
    const connectionId = args.connectionId ?? run.connection.connectionId;
    const integration = await integrations.find(run.environment.id, key);
    const connection = integration && (await connections.find(integration, connectionId));
    if (!connection)
      throw new HomeportError('not_found', `There is no connection "${connectionId}" of the integration "${key}".`);
    return connection;
  }

  return {
    describeMetadata,
    async readConnection(args: ConnectionArgs): Promise<Record<string, unknown>> {
      const { connection, credentials, config } = await connections.credentials.fetch(await findConnection(args), {
        isForced: args.forceRefresh === true,
        wantsAppJwt: args.refreshGithubAppJwtToken === true,
        isUpkeep: isOwnStep(run),
      });
      run.operation.redactSecrets(secretsOf(credentials));
      const withRefreshToken = args.refreshToken === true;
      return presentFullConnection({ connection, credentials, config, withRefreshToken, form: 'get' });
    },
    /** Changes metadata; resolves to the body with which the HTTP API answers. */
    async changeMetadata(
      metadata: Record<string, unknown>,
      mode: 'replace' | 'merge',
    ): Promise<Record<string, unknown>> {
      const { connection, integration } = run;
      await connections.changeMetadata(integration, [connection.connectionId], metadata, mode);
      return describeMetadata(metadata);
    },
    async readIntegration(include: string[]): Promise<Record<string, unknown>> {
      const environmentId = run.environment.id;
      const { uniqueKey } = run.integration;
      const { integration, entry } = await integrations.get(environmentId, uniqueKey);
      const extras = await integrationExtras(
        { integrations, environments, publicBase },
        { environmentId, uniqueKey, entry, include },
      );
      return presentIntegration(integration, entry, localBase(), extras);
    },
    async listVariables(): Promise<Array<{ name: string; value: string }>> {
      const variables = await environments.listVariables(run.environment.id);
      return variables.map(({ name, value }) => ({ name, value }));
    },
  };
}

/** Runs that the hub itself starts around the life of a connection; the others are started by a person, an app or a schedule. */
const isOwnStep = ({ scriptType }: RunRequest): boolean => scriptType === 'on-event';
