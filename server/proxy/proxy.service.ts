import type { StoredConnection } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import type { EnvironmentService } from '../environments/environment.service.ts';
import type { CatalogLookup } from '../integrations/catalog/catalog.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { ResponseTap } from '../log/operation.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import { discardBody } from '../platform/lib/outbound-exchange.ts';
import type { OutboundHttp, OutboundResponse } from '../platform/lib/outbound-http.ts';
import {
  type BodyStart,
  describeAttempt,
  logAttempt,
  onceReadStart,
  recordUnwanted,
  retryReason,
  retryWaitMs,
  sendRequest,
} from './attempts.ts';
import { type BuiltRequest, buildProviderRequest } from './build-request.ts';
import type {
  ProviderRequest,
  ProxyCall,
  ProxyResponse,
  ProxyTarget,
  ProxyTargetRef,
  RedactedRequest,
  SendResult,
} from './proxy-types.ts';
import { describeCredential, type RequestCredential } from './request-credential.ts';
import { planRequests, type RequestPlan } from './request-plan.ts';
import { Redactor } from './request-redactor.ts';
import { type TestedFlow, type VerificationOutcome, verifyCredentials } from './verify-credentials.ts';

export type {
  ProviderRequest,
  ProxyAttempt,
  ProxyBody,
  ProxyCall,
  ProxyResponse,
  ProxyTarget,
  ProxyTargetRef,
} from './proxy-types.ts';
export { type CredentialPart, plainHeader, type RequestCredential, secretsOfConnection } from './request-credential.ts';
export { isTested, type TestedFlow, type VerificationOutcome } from './verify-credentials.ts';

/** Credentials that were read longer ago are read again before a retry. */
const TARGET_LIFETIME_MS = 60_000;
/** Reports and language models may take minutes to start a response; a longer silence counts as a failure. */
const MAX_SILENCE_MS = 300_000;

export type ProxyService = ReturnType<typeof createProxyService>;

/** Sends requests to providers with a connection's credentials (providers.md 5 and 6). */
export function createProxyService({
  catalog,
  resolveTarget,
  http,
  clock,
  ids,
  environments,
  silenceMs = MAX_SILENCE_MS,
}: {
  catalog: CatalogLookup;
  /** Reads the connection with fresh credentials (refreshed when they are due). */
  resolveTarget: (ref: ProxyTargetRef) => Promise<ProxyTarget> | ProxyTarget;
  http: Pick<OutboundHttp, 'request'>;
  clock: Clock;
  ids: Ids;
  environments: Pick<EnvironmentService, 'allowedHosts' | 'find'>;
  /** Longest silence of a provider before its response and within it. Default 5 minutes. */
  silenceMs?: number | undefined;
}) {
  const plans = new WeakMap<ProviderEntry, RequestPlan>();
  const redactors = new WeakMap<ProxyTarget, { entry: ProviderEntry; redactor: Redactor }>();

  async function sendOnce(
    plan: RequestPlan,
    target: ProxyTarget,
    request: ProviderRequest & Pick<ProxyCall, 'admit' | 'signal'>,
    onBuilt?: (request: RedactedRequest) => void,
  ) {
    const startedAt = clock.now();
    const redactor = (): Redactor => redactorFor(target, plan.entry);
    const allowedHosts = environments.allowedHosts(target.environmentId);
    const built = buildProviderRequest({
      plan,
      target,
      request,
      allowedHosts,
      now: startedAt,
      random: ids.uuid(),
    });
    onBuilt?.(describe(built, redactor()));
    const result = await sendRequest(http, built, {
      allowedHosts: [...built.literalHosts, ...allowedHosts],
      signal: request.signal,
      silenceMs,
      admit: request.admit,
      ...(request.followsRedirects === false ? { maxRedirects: 0 } : {}),
    });
    return { built, result, startedAt, redactor };
  }

  /** Created once per target, because it compiles a pattern for each secret. */
  function redactorFor(target: ProxyTarget, entry: ProviderEntry): Redactor {
    const known = redactors.get(target);
    if (known?.entry === entry) return known.redactor;
    const redactor = new Redactor(target, entry.connection_config);
    redactors.set(target, { entry, redactor });
    return redactor;
  }

  async function readTarget(ref: ProxyTargetRef): Promise<{ target: ProxyTarget; readAt: number }> {
    const readAt = clock.now();
    return { target: await resolveTarget(ref), readAt };
  }

  function planFor(target: ProxyTarget): RequestPlan {
    if (target.providerName === '')
      throw new HomeportError('missing_provider', `The integration ${target.integration.uniqueKey} names no provider.`);
    const entry = catalog.find(target.providerName);
    if (!entry) throw new HomeportError('unknown_provider', catalog.explainMissing(target.providerName));
    const plan = plans.get(entry) ?? planRequests(entry);
    plans.set(entry, plan);
    return plan;
  }

  function waitFor(
    result: SendResult,
    readErrorBody: () => Promise<BodyStart>,
    attempt: number,
    plan: RequestPlan,
    call: ProxyCall,
  ): Promise<number> {
    return retryWaitMs({
      attempt,
      headers: result.kind === 'response' ? result.headers : undefined,
      callerHeaders: call.retryHeader,
      rules: plan.entry.proxy?.retry,
      readBody: async () => (await readErrorBody()).start.toString(),
      now: clock.now(),
      deadlineMs: call.deadlineMs,
    });
  }

  return {
    /**
     * Resolves to the provider's response, whatever its status, after the retries that the call allows. Rejects with
     * HomeportError when the request cannot be built or may not be sent, and with ProxyRequestError when no response
     * came.
     */
    async call(call: ProxyCall): Promise<ProxyResponse> {
      const settings = environments.find(call.target.environmentId)?.settings;
      if (call.baseUrlOverride && !call.followsLink && settings?.allowsBaseUrlOverride === false)
        throw new HomeportError(
          'base_url_override_disabled',
          "Base URL overrides are switched off in the environment's settings.",
        );
      let read = await readTarget(call.target);
      const plan = planFor(read.target);
      let previousCredentials: string | undefined;
      for (let attempt = 0; ; attempt++) {
        const credentials = call.retries ? JSON.stringify(read.target.connection.credentials) : '';
        const { built, result, redactor, startedAt } = await sendOnce(plan, read.target, call);
        const reason =
          attempt < (call.retries ?? 0)
            ? retryReason(result, {
                rules: plan.entry.proxy?.retry,
                retryOn: call.retryOn ?? [],
                areCredentialsUnchanged: credentials === previousCredentials,
              })
            : undefined;
        const durationMs = clock.now() - startedAt;
        const readErrorBody = onceReadStart(result);
        const retry =
          reason === undefined
            ? undefined
            : { reason, waitMs: await waitFor(result, readErrorBody, attempt, plan, call) };
        const { secrets } = redactor();
        const hidden = call.log?.secrets ?? [];
        const tap = call.log?.operation.record({
          body: built.body,
          headers: built.headers,
          response: result.kind === 'response' ? result.headers : undefined,
          // The same list for each call: recordings keep a pattern of it.
          secrets: hidden.length === 0 ? secrets : [...secrets, ...hidden],
        });
        const described = describeAttempt({
          attempt: attempt + 1,
          request: describe(built, redactor()),
          result,
          warnings: built.warnings,
          redactor: redactor(),
          durationMs,
          retry,
          tap,
        });
        if (call.log) logAttempt(call.log, described, (call.retries ?? 0) + 1);
        call.onAttempt?.(described);
        if (!retry) return finish(result, built, () => describe(built, redactor()), tap);

        if (tap) void recordUnwanted(clock, result, readErrorBody, tap);
        else if (result.kind === 'response') await discardBody(result.response.body);
        await clock.sleep(retry.waitMs, call.signal);
        const mustReread =
          plan.entry.token?.singleUse === true ||
          (result.kind === 'response' && result.status === 401) ||
          clock.now() - read.readAt > TARGET_LIFETIME_MS;
        previousCredentials = credentials;
        if (mustReread) read = await readTarget(call.target);
      }
    },
    /** Tests unsaved credentials by the rules of the entry (providers.md 9). Stores nothing. */
    verify(target: ProxyTarget, flow: TestedFlow, signal?: AbortSignal): Promise<VerificationOutcome> {
      const plan = planFor(target);
      const send = async (request: ProviderRequest): Promise<SendResult> =>
        (await sendOnce(plan, target, { ...request, ...(signal ? { signal } : {}) })).result;
      return verifyCredentials({ entry: plan.entry, flow, send });
    },
    /** Sends one request with unsaved credentials, without retries. Stores nothing. Rejects as `call`. */
    async callOnce(
      target: ProxyTarget,
      request: ProviderRequest,
      { signal, onBuilt }: { signal?: AbortSignal; onBuilt?: (request: RedactedRequest) => void } = {},
    ): Promise<ProxyResponse> {
      const plan = planFor(target);
      const attempt = await sendOnce(plan, target, { ...request, ...(signal ? { signal } : {}) }, onBuilt);
      return finish(attempt.result, attempt.built, () => describe(attempt.built, attempt.redactor()));
    },
    /**
     * How requests that another program builds get the fresh credential of a connection. Throws as `call`, and
     * `unsupported_auth` when a request cannot carry it as it is.
     */
    async credentialOf(ref: ProxyTargetRef): Promise<RequestCredential> {
      const { target } = await readTarget(ref);
      const plan = planFor(target);
      return describeCredential({
        plan,
        target,
        now: clock.now(),
        random: ids.uuid(),
        allowedHosts: environments.allowedHosts(target.environmentId),
      });
    },
    /** Code and message of a failure without a response from the provider; undefined for other failures. */
    networkFailure(error: unknown): { code: string; message: string } | undefined {
      return error instanceof ProxyRequestError ? error : undefined;
    },
  };
}

function finish(
  result: SendResult,
  built: BuiltRequest,
  describeRequest: ProxyResponse['describeRequest'],
  tap?: ResponseTap,
): ProxyResponse {
  if (result.kind === 'network') {
    tap?.end();
    throw new ProxyRequestError(result.error.code, result.error.message, describeRequest(), result.error);
  }
  const { status, statusText, headers, body, url }: OutboundResponse = result.response;
  const isForeign = (status === 401 || status === 403) && !built.isOwn(url);
  return {
    status,
    statusText,
    headers,
    body,
    describeRequest,
    ...(isForeign ? { foreignHost: url.host } : {}),
    ...(tap ? { tap } : {}),
  };
}

function describe(built: BuiltRequest, redactor: Redactor): ReturnType<Redactor['request']> {
  return redactor.request({ ...built, url: built.url.href });
}

/** The provider gave no response in any attempt. Has the members that an axios-like error shows (functions.md 4.4). */
export class ProxyRequestError extends Error {
  override readonly name = 'ProxyRequestError';
  /** Network code: `ECONNRESET`, `ENOTFOUND`, `ERR_CANCELED`, … */
  readonly code: string;
  readonly request: RedactedRequest;

  constructor(code: string, message: string, request: RedactedRequest, cause: unknown) {
    super(message, { cause });
    this.code = code;
    this.request = request;
  }
}

/**
 * Returns a function that reads what a request needs: usable credentials and the configuration of a connection, and the
 * app of its integration. It returns the same object until the connection or the integration changes, and throws the
 * errors of http-api.md 7.
 */
export function createTargetResolver(services: {
  integrations: IntegrationsService;
  connections: ConnectionsService;
}): (ref: ProxyTargetRef) => Promise<ProxyTarget> | ProxyTarget {
  const targets = new WeakMap<StoredConnection, { integration: Integration; target: ProxyTarget }>();
  const peek = (ref: ProxyTargetRef): ProxyTarget | undefined => {
    const integration = services.integrations.peek(ref.environmentId, ref.integrationKey);
    const fetched =
      integration &&
      services.connections.credentials.peek(
        { integrationId: integration.id, connectionId: ref.connectionId },
        { isUpkeep: ref.isUpkeep ?? false },
      );
    const known = fetched && targets.get(fetched.connection);
    return known?.integration === integration ? known?.target : undefined;
  };
  const read = async (ref: ProxyTargetRef): Promise<ProxyTarget> => {
    const integration = await services.integrations.find(ref.environmentId, ref.integrationKey);
    if (!integration) {
      throw new HomeportError('unknown_provider_config', `There is no integration "${ref.integrationKey}".`, {
        status: 404,
      });
    }
    const connection = await services.connections.find(integration, ref.connectionId);
    // The proxy has its own error for an unknown connection (http-api.md 7).
    if (!connection)
      throw new HomeportError('server_error', `There is no connection "${ref.connectionId}" of this integration.`, {
        status: 400,
      });
    const fetched = await fetchForProxy(services.connections, connection, ref);
    const known = targets.get(fetched.connection);
    if (known?.integration === integration) return known.target;
    const [app, custom] = await Promise.all([
      services.integrations.readAppCredentials(ref.environmentId, ref.integrationKey),
      services.integrations.readCustom(ref.environmentId, ref.integrationKey),
    ]);
    const target: ProxyTarget = {
      environmentId: ref.environmentId,
      providerName: integration.provider,
      integration: {
        uniqueKey: integration.uniqueKey,
        ...(app.clientId === undefined ? {} : { clientId: app.clientId }),
        ...(app.clientSecret === undefined ? {} : { clientSecret: app.clientSecret }),
        custom,
      },
      connection: {
        id: fetched.connection.id,
        connectionId: fetched.connection.connectionId,
        credentials: fetched.credentials,
        connectionConfig: fetched.config,
        metadata: fetched.connection.metadata ?? {},
      },
    };
    targets.set(fetched.connection, { integration, target });
    return target;
  };
  return (ref) => peek(ref) ?? read(ref);
}

/** The proxy has its own errors for unusable credentials (http-api.md 7). */
async function fetchForProxy(
  connections: ConnectionsService,
  connection: StoredConnection,
  { isUpkeep = false }: ProxyTargetRef,
) {
  const outcome = await connections.credentials.tryFetch(connection, { isUpkeep });
  if (outcome.ok) return outcome;
  const { code, message, status } = outcome.failure;
  if (code === 'connection_refresh_backoff') throw outcome.failure;
  throw new HomeportError('server_error', message, { status, cause: outcome.failure });
}
