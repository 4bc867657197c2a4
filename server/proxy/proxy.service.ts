import type { EnvironmentService } from '../environments/environment.service.ts';
import type { CatalogLookup } from '../integrations/catalog/catalog.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { ResponseTap } from '../log/operation.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import { discardBody, readStart } from '../platform/lib/outbound-body.ts';
import { explainRefusal } from '../platform/lib/outbound-connect.ts';
import { OutboundError } from '../platform/lib/outbound-error.ts';
import type { OutboundHttp, OutboundResponse } from '../platform/lib/outbound-http.ts';
import { type BuiltRequest, buildProviderRequest } from './build-request.ts';
import { describeAttempt, logAttempt } from './log-attempt.ts';
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
import { retryReason, retryWaitMs } from './retry.ts';
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
/** Size of an error body in which the hint for the next attempt is searched. */
const HINT_BODY_BYTES = 1_048_576;
/** Longest time for recording the body of a response that is followed by another attempt. */
const UNWANTED_BODY_MS = 1_000;

type BodyStart = Awaited<ReturnType<typeof readStart>>;

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

  /** Records a response that is followed by another attempt, while that waits. Never rejects. */
  async function recordUnwanted(
    result: SendResult,
    readErrorBody: () => Promise<BodyStart>,
    tap: ResponseTap,
  ): Promise<void> {
    const limit = clock.after(UNWANTED_BODY_MS, () => {
      if (result.kind === 'response') result.response.body.destroy();
    });
    const { start, isCut } = await readErrorBody();
    limit.cancel();
    tap.take(start);
    tap.end(isCut);
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

        if (tap) void recordUnwanted(result, readErrorBody, tap);
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

/** Sends one built request. A forbidden host is the caller's error, not the network's. */
async function sendRequest(
  http: Pick<OutboundHttp, 'request'>,
  built: BuiltRequest,
  limits: {
    allowedHosts: readonly string[];
    signal: AbortSignal | undefined;
    silenceMs: number;
    admit: ProxyCall['admit'];
    maxRedirects?: number;
  },
): Promise<SendResult> {
  try {
    const response = await http.request({ ...built, ...limits, keepsHeadersAt: built.isOwn });
    return { kind: 'response', status: response.status, headers: response.headers, response };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.code !== 'ERR_ADDRESS_REFUSED') return { kind: 'network', error };
    throw error.hop === 0
      ? new HomeportError('base_url_override_not_allowed', explainRefusal(error), { cause: error })
      : new HomeportError(
          'proxy_redirect_to_denied_host',
          `The provider redirected to an address that may not be reached. ${error.message}.`,
          { cause: error },
        );
  }
}

/** Returns a function that reads the beginning of a response that is not passed on: once, for all its callers. */
function onceReadStart(result: SendResult): () => Promise<BodyStart> {
  let read: Promise<BodyStart> | undefined;
  return () => {
    read ??=
      result.kind === 'response'
        ? readStart(result.response.body, HINT_BODY_BYTES)
        : Promise.resolve({ start: Buffer.alloc(0), isCut: false });
    return read;
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
