import { issuedSessionAnswer, sessionAnswer } from '../api/answers/session-answers.ts';
import { createSessionBody, reconnectSessionBody, telemetryBody } from '../api/connect-sessions.ts';
import { empty } from '../api/fields.ts';
import type { RouteDescription } from './route-description.ts';

export const CONNECT_SESSION_ROUTES = {
  'POST /connect/sessions': {
    id: 'createConnectSession',
    tag: 'Connect sessions',
    summary: 'Create a connect session',
    details:
      'Names the end user: `end_user`, or `tags` that stand for one. Without `allowed_integrations` all are allowed.',
    access: 'key',
    scopes: ['connect_sessions:write'],
    query: empty,
    body: createSessionBody,
    answers: { 201: issuedSessionAnswer },
  },
  'POST /connect/sessions/reconnect': {
    id: 'createReconnectSession',
    tag: 'Connect sessions',
    summary: 'Create a session that renews one connection',
    access: 'key',
    scopes: ['connect_sessions:write'],
    query: empty,
    body: reconnectSessionBody,
    answers: { 201: issuedSessionAnswer },
  },
  'GET /connect/session': {
    id: 'getConnectSession',
    tag: 'Connect sessions',
    summary: 'Get the session of the token',
    access: 'session',
    query: empty,
    answers: { 200: sessionAnswer },
    errors: ['invalid_body', 'not_found'],
  },
  'DELETE /connect/session': {
    id: 'deleteConnectSession',
    tag: 'Connect sessions',
    summary: 'End the session of the token',
    access: 'session',
    query: empty,
    answers: { 204: null },
    errors: ['invalid_body'],
  },
  'POST /connect/telemetry': {
    id: 'sendTelemetry',
    tag: 'Connect sessions',
    summary: 'Note what the connect page does',
    details: 'The token of the session is in the body.',
    access: 'public',
    body: telemetryBody,
    answers: { 204: null },
    errors: ['missing_auth_header', 'invalid_connect_session_token_format', 'unknown_connect_session_token'],
  },
} as const satisfies Record<string, RouteDescription>;
