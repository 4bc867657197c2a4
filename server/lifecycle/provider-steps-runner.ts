import type { ConnectionContext } from '../connections/connection.ts';
import { UNKNOWN_END } from '../connections/connection-status.store.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import { clientOf, type StoredCredentials } from '../connections/credentials/credentials.service.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { IntegrationAppCredentials } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { OperationLog } from '../log/operation.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { readBody } from '../platform/lib/outbound-exchange.ts';
import type { OutboundHttp, OutboundResponse } from '../platform/lib/outbound-http.ts';
import { parseJson } from '../platform/lib/parse-json.ts';
import type { ProviderRequest, ProxyResponse, ProxyService, ProxyTarget } from '../proxy/proxy.service.ts';
import { POST_CONNECTION_STEPS } from './provider-steps/post-connection-steps.ts';
import { PRE_DELETION_STEPS } from './provider-steps/provider-steps.ts';
import type {
  PlainStepRequest,
  StepContext,
  StepRequest,
  StepResponse,
  VerificationStep,
} from './provider-steps/step-context.ts';
import { VERIFICATION_STEPS } from './provider-steps/verification-steps.ts';

/** Limit for each request of a step. */
const STEP_TIMEOUT_MS = 60_000;

export type ProviderSteps = ReturnType<typeof createProviderSteps>;

/** Runs the steps of certain providers after connecting and before deletion, and their tests of credentials. */
export function createProviderSteps({
  catalog,
  connections,
  integrations,
  proxy,
  http,
  log,
  clock,
}: {
  catalog: { find(name: string): ProviderEntry | undefined };
  connections: ConnectionsService;
  integrations: IntegrationsService;
  proxy: ProxyService;
  http: Pick<OutboundHttp, 'request'>;
  log: OperationLog;
  clock: Clock;
}) {
  const requestPlain = createPlainRequests({ http });

  async function run(
    connected: ConnectionContext,
    when: string,
    work: (context: StepContext) => Promise<void>,
  ): Promise<void> {
    const { connection, environment, integration } = connected;
    const operation = log.start({
      environmentId: environment.id,
      type: 'auth',
      action: 'post_connection',
      message: `Step of ${integration.provider} ${when}`,
      integrationKey: integration.uniqueKey,
      providerName: integration.provider,
      connectionId: connection.connectionId,
    });
    const target = {
      environmentId: environment.id,
      integrationKey: integration.uniqueKey,
      connectionId: connection.connectionId,
      isUpkeep: true,
    };
    const endAt = connection.credentialsEndAt;
    if (endAt !== null && endAt !== UNKNOWN_END && endAt <= clock.now())
      return operation.finish('cancelled', { message: 'The access has expired: the step runs after the next sign-in' });
    try {
      const { credentials, config } = await connections.credentials.fetch(connection, { isUpkeep: true });
      const app = await integrations.readAppCredentials(environment.id, integration.uniqueKey);
      const send = (request: ProviderRequest): Promise<ProxyResponse> =>
        proxy.call({ ...request, target, signal: AbortSignal.timeout(STEP_TIMEOUT_MS) });
      const opened = { connectionId: connection.connectionId, credentials, connectionConfig: config };
      await work(contextOf(integration.provider, app, { ...opened, metadata: connection.metadata ?? {} }, send));
      operation.finish('success');
    } catch (error) {
      operation.finish('failed', { error: { message: error instanceof Error ? error.message : String(error) } });
    }
  }

  function contextOf(
    provider: string,
    app: StepContext['app'],
    { connectionId, credentials, connectionConfig, metadata }: StepContext['connection'],
    send: (request: ProviderRequest) => Promise<ProxyResponse>,
  ): StepContext {
    return {
      provider,
      app,
      connection: { connectionId, credentials, connectionConfig, metadata },
      request: async (request) => readStepResponse(await send(toProviderRequest(request))),
      requestPlain,
      now: () => clock.now(),
    };
  }

  return {
    hasStepAfter(entry: ProviderEntry): boolean {
      return find(POST_CONNECTION_STEPS, entry.post_connection_script) !== undefined;
    },
    /** Runs the step and writes its result into the configuration; a failure is only logged. */
    async afterConnection(connected: ConnectionContext): Promise<void> {
      const entry = catalog.find(connected.integration.provider);
      const step = entry && find(POST_CONNECTION_STEPS, entry.post_connection_script);
      if (!step) return;
      await run(connected, 'after connecting', async (context) => {
        const patch = await step(context);
        if (patch) await connections.mergeConfig(connected.connection, patch);
      });
    },
    async beforeDeletion(connected: ConnectionContext): Promise<void> {
      const entry = catalog.find(connected.integration.provider);
      const step = entry && find(PRE_DELETION_STEPS, entry.pre_connection_deletion_script);
      if (step) await run(connected, 'before deletion', step);
    },
    /** The provider's own test of unsaved credentials; undefined when it has none. */
    async verify(
      entry: ProviderEntry,
      target: ProxyTarget,
    ): Promise<Awaited<ReturnType<VerificationStep>> | undefined> {
      const step = find(VERIFICATION_STEPS, entry.credentials_verification_script);
      if (!step) return undefined;
      const send = (request: ProviderRequest): Promise<ProxyResponse> =>
        proxy.callOnce(target, request, { signal: AbortSignal.timeout(STEP_TIMEOUT_MS) });
      return step(
        contextOf(entry.name, appOf(target.integration, target.connection.credentials), target.connection, send),
      );
    },
  };
}

function find<T>(table: ReadonlyMap<string, T>, name: string | undefined): T | undefined {
  return name === undefined ? undefined : table.get(name);
}

/** The connection's own client replaces the integration's. */
function appOf(app: IntegrationAppCredentials, credentials: StoredCredentials): StepContext['app'] {
  const { id, secret } = clientOf(app, credentials);
  return { ...(id === '' ? {} : { clientId: id }), ...(secret === undefined ? {} : { clientSecret: secret }) };
}

function toProviderRequest({
  method = 'GET',
  endpoint,
  baseUrl,
  headers,
  query,
  json,
  form,
}: StepRequest): ProviderRequest {
  return {
    method,
    endpoint,
    ...(baseUrl === undefined ? {} : { baseUrlOverride: baseUrl }),
    ...(headers ? { headers } : {}),
    ...(query ? { params: query } : {}),
    ...(json === undefined ? {} : { body: { kind: 'json', text: JSON.stringify(json) } }),
    ...(form ? { body: { kind: 'form', text: new URLSearchParams(form).toString() } } : {}),
  };
}

const MAX_RESPONSE_BYTES = 1_048_576;
const TIMEOUT_MS = 30_000;
const BASE_HEADERS = { accept: 'application/json, text/plain, */*', 'user-agent': 'Homeport' };

export interface PlainRequestsOptions {
  http: Pick<OutboundHttp, 'request'>;
  /** Hosts that may be loopback or private. */
  allowedHosts?: readonly string[] | 'all';
  /** Limit for the whole exchange, including the body, in milliseconds. */
  timeoutMs?: number;
}

/**
 * Creates `requestPlain` of a step's context. Redirects are not followed, because the body may hold secrets of the app.
 * Rejects with OutboundError when no response came.
 */
export function createPlainRequests(options: PlainRequestsOptions): StepContext['requestPlain'] {
  const { http, allowedHosts = [], timeoutMs = TIMEOUT_MS } = options;
  return async (request) => {
    const { type, body } = encodeBody(request);
    const response = await http.request({
      method: request.method ?? 'GET',
      url: withQuery(request.url, request.query),
      headers: {
        ...BASE_HEADERS,
        ...(type === undefined ? {} : { 'content-type': type }),
        ...lowerCase(request.headers),
      },
      body,
      allowedHosts,
      maxRedirects: 0,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return readStepResponse(response);
  };
}

/** Reads a response of any status completely. Rejects with OutboundError when it is longer than 1 MB or breaks off. */
export async function readStepResponse(
  response: Pick<OutboundResponse, 'status' | 'headers' | 'body'>,
): Promise<StepResponse> {
  const text = (await readBody(response.body, MAX_RESPONSE_BYTES)).toString('utf8');
  return { status: response.status, headers: response.headers, text, json: parseJson(text) };
}

function encodeBody({ json, form }: PlainStepRequest): { type?: string; body?: string } {
  if (json !== undefined) return { type: 'application/json', body: JSON.stringify(json) };
  if (form) return { type: 'application/x-www-form-urlencoded', body: new URLSearchParams(form).toString() };
  return {};
}

function withQuery(address: string, query: Record<string, string> = {}): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

function lowerCase(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
