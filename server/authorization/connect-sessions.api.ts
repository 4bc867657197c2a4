import { landingUrl } from '../contract/callback-page.ts';
import { empty } from '../contract/fields.ts';
import type { Environment } from '../environments/environment.service.ts';
import { findSession, refusedKey } from '../platform/http/authenticate.ts';
import { inBody } from '../platform/http/connection-limits.ts';
import { isLoopbackName } from '../platform/http/host-guard.ts';
import { type OwnAddressDeps, refuseOwnOverride } from '../platform/http/refuse-own-address.ts';
import { type ApiRequest, created, type Handler, ok, type PublicRoute } from '../platform/http/route.ts';
import { validateBody, validateQuery } from '../platform/http/validate.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { presentIssuedSession, presentSession } from './connect-session.present.ts';
import type { ConnectSession } from './connect-session.ts';
import { createSessionBody, reconnectSessionBody, telemetryBody } from './connect-sessions.contract.ts';
import type { ConnectSessionsService } from './connect-sessions.service.ts';
import { issuedSessionResponse, sessionResponse } from './session-responses.contract.ts';

export interface ConnectSessionsApiDeps extends OwnAddressDeps {
  connectSessions: ConnectSessionsService;
  clock: Clock;
  /** Origin of pages and pictures without a trailing slash. Only this computer can open it (design.md 7.28). */
  localBase: () => string;
}

/** Headers of examples that use a session token. */
const SESSION_HEADERS = { authorization: 'Bearer $CONNECT_SESSION_TOKEN' };

/** Sessions in which end users connect (http-api.md 6). */
export function connectSessionsApi(use: ConnectSessionsApiDeps): PublicRoute[] {
  return [
    {
      method: 'post',
      path: '/connect/sessions',
      access: 'key',
      scopes: ['environment:connect_sessions:write'],
      // Without a list the session offers every integration.
      limitedKeys: {
        creates: (call) => [inBody(call, 'allowed_integrations')].flat().map((integrationKey) => ({ integrationKey })),
      },
      handler: createSession(use),
      openapi: {
        id: 'createConnectSession',
        tag: 'Connect sessions',
        summary: 'Create a connect session',
        details:
          'Names the end user: `end_user`, or `tags` that stand for one. Without `allowed_integrations` all are allowed.',
        query: empty,
        body: createSessionBody,
        responses: { 201: issuedSessionResponse },
        example: { body: { tags: { end_user_id: 'alice' }, allowed_integrations: ['practice'] } },
      },
    },
    {
      method: 'post',
      path: '/connect/sessions/reconnect',
      access: 'key',
      scopes: ['environment:connect_sessions:write'],
      limitedKeys: {
        connections: (call) => [
          { integrationKey: inBody(call, 'integration_id'), connectionId: inBody(call, 'connection_id') },
        ],
      },
      handler: createReconnectSession(use),
      openapi: {
        id: 'createReconnectSession',
        tag: 'Connect sessions',
        summary: 'Create a session that renews one connection',
        query: empty,
        body: reconnectSessionBody,
        responses: { 201: issuedSessionResponse },
        example: { body: { integration_id: 'practice', connection_id: 'me' } },
      },
    },
    {
      method: 'get',
      path: '/connect/session',
      access: 'session',
      handler: getSession(use),
      openapi: {
        id: 'getConnectSession',
        tag: 'Connect sessions',
        summary: 'Get the session of the token',
        query: empty,
        responses: { 200: sessionResponse },
        errors: ['invalid_body', 'not_found'],
        example: { headers: SESSION_HEADERS },
      },
    },
    {
      method: 'delete',
      path: '/connect/session',
      access: 'session',
      handler: deleteSession(use),
      openapi: {
        id: 'deleteConnectSession',
        tag: 'Connect sessions',
        summary: 'End the session of the token',
        query: empty,
        responses: { 204: null },
        errors: ['invalid_body'],
        example: { headers: SESSION_HEADERS },
      },
    },
    {
      method: 'post',
      path: '/connect/telemetry',
      access: 'public',
      handler: receiveTelemetry(use),
      openapi: {
        id: 'sendTelemetry',
        tag: 'Connect sessions',
        summary: 'Record an event of the connect page',
        details: 'The token of the session is in the body.',
        query: empty,
        body: telemetryBody,
        responses: { 204: null },
        errors: ['missing_auth_header', 'invalid_connect_session_token_format', 'unknown_connect_session_token'],
        example: {
          body: { token: '$CONNECT_SESSION_TOKEN', event: 'open', timestamp: '$NOW' },
        },
      },
    },
  ];
}

function createSession(use: ConnectSessionsApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(createSessionBody, request.body);
    refuseOwnOverride(body, use);
    const issued = await use.connectSessions.create(request.environment, body);
    return created({ data: presentIssuedSession(issued, connectOrigin(request.environment, use.localBase())) });
  };
}

function createReconnectSession(use: ConnectSessionsApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(reconnectSessionBody, request.body);
    refuseOwnOverride(body, use);
    const issued = await use.connectSessions.createReconnect(request.environment, body);
    return created({ data: presentIssuedSession(issued, connectOrigin(request.environment, use.localBase())) });
  };
}

function getSession(use: ConnectSessionsApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    validateBody(empty, request.body ?? {});
    const session = sessionOf(request);
    const { connectUi } = request.environment.settings;
    return ok({ data: presentSession(session, await use.connectSessions.getEndUser(session), connectUi) });
  };
}

function deleteSession(use: ConnectSessionsApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    validateBody(empty, request.body ?? {});
    await use.connectSessions.remove(sessionOf(request));
    return { status: 204 };
  };
}

/** The session of a route that accepts session tokens only. */
function sessionOf({ session, http }: ApiRequest): ConnectSession {
  if (!session) throw new Error(`The route of ${http.path} takes more than session tokens.`);
  return session;
}

/**
 * Origin of the connect page. It is always on this computer, because the public address does not serve the page
 * (design.md 7.28). It has the host name of the OAuth callback, whose messages the page accepts (7.18).
 */
export function connectOrigin({ settings }: Environment, localBase: string): string {
  const landing = new URL(landingUrl(settings.callbackUrl ?? localBase));
  return isLoopbackName(landing.hostname) ? landing.origin : localBase;
}

/** Allowed error of a browser's clock (http-api.md 6). */
const TOLERANCE_MS = 2 * 3_600_000;

/** The request is a beacon, which has no headers, so the token is in the body. */
function receiveTelemetry(use: ConnectSessionsApiDeps): Handler {
  return async (request) => {
    const { token } = (request.body ?? {}) as { token?: unknown };
    if (typeof token !== 'string' || token === '')
      throw refusedKey('missing_auth_header', 'Send the token of the connect session in the body.');
    const session = await findSession(token, (value) => use.connectSessions.find(value));
    validateQuery(empty, request.query);
    const body = validateBody(telemetryBody, request.body);
    if (Math.abs(body.timestamp.getTime() - use.clock.now()) > TOLERANCE_MS) {
      const message = 'The timestamp differs from the time of the hub by more than two hours.';
      throw new HomeportError('invalid_body', message, { issues: [{ code: 'custom', message, path: ['timestamp'] }] });
    }
    use.connectSessions.note(session, body);
    return { status: 204 };
  };
}
