import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { ConnectSession } from '../../authorization/connect-session.ts';
import type { AuditService } from '../../environments/audit.service.ts';
import type { Caller } from '../../environments/environment.service.ts';
import { grants } from '../../environments/key-scopes.contract.ts';
import type { Clock } from '../lib/clock.ts';
import { HomeportError } from '../lib/homeport-error.ts';
import { isJsonObject } from '../lib/json-object.ts';
import { andThen, type MaybePromise, orElse } from '../lib/maybe-promise.ts';
import { authenticateKey, authenticateSession, holdsSessionToken } from './authenticate.ts';
import { closeUnread, expectsLargeBody, hasUnreadBody } from './body-reader.ts';
import { checkConnectionLimits, type FindTags } from './connection-limits.ts';
import { openToOrigins } from './cors.ts';
import { checkHost, hasOneHost, isLocalRequest, type PublicChoices } from './host-guard.ts';
import { environmentRateLimit, publicRateLimit } from './rate-limit.ts';
import type { ApiRequest, Reply, Route, RouteAudit } from './route.ts';

/** Who calls a route. Empty for routes that check their callers themselves and for the dashboard. */
export interface Identity {
  caller?: Caller;
  session?: ConnectSession;
}

export type Admission = ReturnType<typeof createAdmission>;

/**
 * Who may do what, for every door: host, origins, key, rate, scopes, limits and audit (http-api.md 1.1). The row of a
 * route says what it needs; no other code decides.
 */
export function createAdmission({
  audit,
  authenticate,
  authorizeDashboard,
  clock,
  findSession,
  findTags,
  publicChoices,
  publicHost,
}: {
  /** Receives every call made with a key. */
  audit: Pick<AuditService, 'record'> & {
    keyUse: Pick<AuditService['keyUse'], 'called' | 'refused' | 'readCredentials' | 'proxied'>;
  };
  authenticate(secretKey: string): MaybePromise<Caller | undefined>;
  /** Checks the session cookie and, for changes, origin and CSRF header. Throws when the request is refused. */
  authorizeDashboard(request: Request): Promise<void>;
  clock: Clock;
  /** Resolves to the session of a connect-session token. */
  findSession(token: string): Promise<ConnectSession | undefined>;
  findTags: FindTags;
  /** Host of the public address. A function, because a setting may change it. */
  publicHost: () => string | undefined;
  /** What the public address answers beside its few calls. */
  publicChoices?: PublicChoices;
}) {
  const limitPublicCalls = publicRateLimit(clock);
  const limitCalls = environmentRateLimit(clock);

  /** Records a call that the scopes or limits of the key do not cover. Other failures are not recorded. */
  const noteRefusal = (caller: Caller, route: Route, { method }: Request, error: unknown): void => {
    if (!(error instanceof HomeportError) || error.code !== 'forbidden') return;
    const scopes = error.message.match(/environment:[\w:*]+/g)?.join(' or ') ?? error.message;
    audit.keyUse.refused(caller, scopes, `${method} ${nameOf(route.path)}`);
  };

  /** Records a call after it succeeded. Counters are updated without waiting. */
  const noteUse = ({ action, concerns, subject }: RouteAudit, request: ApiRequest): MaybePromise<void> => {
    if (concerns && !concerns(request)) return;
    const { caller } = request;
    const { integrationKey, connectionId } = targetOf(request, action === 'proxy');
    if (action === 'credentials') return audit.keyUse.readCredentials(caller, integrationKey, connectionId);
    if (action === 'proxy') return audit.keyUse.proxied(caller, integrationKey, connectionId);
    return audit.record({
      action,
      environmentId: caller.environment.id,
      keyId: caller.keyId,
      integrationKey,
      connectionId,
      subject: subject?.(request),
    });
  };

  /** Callers that the row of the route checks itself, and the dashboard. */
  const identifyOther = async (route: Route, http: Request): Promise<Identity> => {
    await (route.access === 'dashboard' ? authorizeDashboard(http) : route.admit?.(http));
    return {};
  };

  const identifySession = async (
    authorization: string | undefined,
    http: Request,
    response: Response,
  ): Promise<Identity> => {
    const session = await authenticateSession(authorization, findSession);
    limitCalls(session.environment, http, response);
    return { session };
  };

  return {
    /** Comes before every route and page. Returns true for a preflight, which is then already answered. */
    enter(request: Request, response: Response): boolean {
      const isLocal = checkHost(request, publicHost(), publicChoices);
      if (!isLocal) limitPublicCalls(request, response);
      // Pages and preflights do not read a body. When a longer one may follow, the connection is closed after the response.
      if (!expectsLargeBody(request) && hasUnreadBody(request)) closeUnread(request, response);
      return openToOrigins(request, response);
    },

    /** The status line that refuses a socket; undefined when the request may open one. */
    refusalOfSocket(request: IncomingMessage): string | undefined {
      if (!hasOneHost(request)) return '400 Bad Request';
      return isLocalRequest(request) ? undefined : '404 Not Found';
    },

    /** Checks authentication, rate limit and scopes, in this order; at once for a key that is in memory. */
    identify(route: Route, http: Request, response: Response): MaybePromise<Identity> {
      if (route.access === 'public' || route.access === 'dashboard') return identifyOther(route, http);
      const { authorization } = http.headers;
      if (route.access === 'session' || (route.access === 'key-or-session' && holdsSessionToken(authorization)))
        return identifySession(authorization, http, response);
      return andThen(authenticateKey(authorization, authenticate), (caller) => {
        limitCalls(caller.environment, http, response);
        audit.keyUse.called(caller, http.socket);
        try {
          checkScopes(caller.scopes, route.scopes ?? []);
        } catch (error) {
          noteRefusal(caller, route, http, error);
          throw error;
        }
        return { caller };
      });
    },

    /** Calls the handler within the limits of the key, and records what the key did. */
    perform(route: Route, request: ApiRequest, caller: Caller | undefined): MaybePromise<Reply> {
      if (!caller) return route.handler(request);
      const { allowed } = caller;
      const limited = (): MaybePromise<void> =>
        allowed === null ? undefined : checkConnectionLimits(allowed, route, request, findTags);
      const performed = orElse(
        () => andThen(limited(), () => route.handler(request)),
        (error) => {
          // The handler may have found out only late which connection the call needs.
          noteRefusal(caller, route, request.http, error);
          throw error;
        },
      );
      const { audit } = route;
      return audit ? andThen(performed, (reply) => andThen(noteUse(audit, request), () => reply)) : performed;
    },
  };
}

/** Throws unless the key has one of the `wanted` scopes. A route without scopes is open to every key. */
function checkScopes(held: readonly string[], wanted: readonly string[]): void {
  if (wanted.length === 0 || wanted.some((scope) => grants(held, scope))) return;
  throw new HomeportError('forbidden', `The key lacks the scope ${wanted.join(' or ')}.`);
}

/** Returns the integration and the connection of a call, from its path, query, headers or body. The query of a proxied call is for the provider. */
function targetOf(
  { body, http, params, query }: ApiRequest,
  isProxied: boolean,
): { integrationKey: string | undefined; connectionId: string | undefined } {
  const named = (name: string): unknown =>
    isProxied ? undefined : ((query as Record<string, unknown>)[name] ?? (isJsonObject(body) ? body[name] : undefined));
  const textOf = (...values: unknown[]): string | undefined =>
    values.find((value): value is string => typeof value === 'string' && value !== '')?.slice(0, 255);
  return {
    integrationKey: textOf(params['uniqueKey'], named('provider_config_key'), http.headers['provider-config-key']),
    connectionId: textOf(params['connectionId'], named('connection_id'), http.headers['connection-id']),
  };
}

/** The path as the table writes it. The real path may contain private data of the caller. */
function nameOf(path: Route['path']): string {
  return typeof path === 'string' ? path : path.source.replace(/^\^|\(.*/g, '').replaceAll('\\', '');
}
