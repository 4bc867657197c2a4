import { empty } from '../contract/fields.ts';
import { AGENT_SESSIONS_SCOPE } from '../environments/key-scopes.contract.ts';
import { type ApiRequest, created, type Handler, ok, type PublicRoute } from '../platform/http/route.ts';
import { validateBody, validateParams, validateQuery } from '../platform/http/validate.ts';
import {
  presentAgentCall,
  presentAgentSession,
  presentCreatedSession,
  presentEndedSession,
} from './agent-session.present.ts';
import {
  agentCallResponse,
  agentCallsResponse,
  agentSessionResponse,
  agentSessionsResponse,
  createdAgentSessionResponse,
  endedAgentSessionResponse,
} from './agent-session-responses.contract.ts';
import {
  agentCallParams,
  agentSessionParams,
  createAgentSessionBody,
  listAgentSessionsQuery,
} from './agent-sessions.contract.ts';
import type { AgentSessionsService } from './agent-sessions.service.ts';
import type { SessionCallsService } from './session-calls.service.ts';

export interface AgentSessionsApiDeps {
  agentSessions: AgentSessionsService;
  sessionCalls: SessionCallsService;
  /** Address of the hub on this computer, without a trailing slash. */
  dashboardUrl: () => string;
}

const NO_SESSION = ['session_not_found'] as const;

/** Agent sessions (agents.md 2). */
export function agentSessionsApi(use: AgentSessionsApiDeps): PublicRoute[] {
  const shared = { access: 'key', scopes: [AGENT_SESSIONS_SCOPE], limitedKeys: 'filtered' } as const;
  return [
    {
      ...shared,
      method: 'post',
      path: '/sessions',
      handler: createSession(use),
      audit: { action: 'agent_session_created' },
      openapi: {
        id: 'createAgentSession',
        tag: 'Agent sessions',
        summary: 'Create an agent session',
        details:
          'An MCP address for one run of an agent: a tenant (which connections it acts for), a toolset (which integrations ' +
          'and tools), and meta tools with which it finds and calls them. Scope and expiry never change. The token is ' +
          'shown once. Any error creates nothing; `error.payload` says what it is about.',
        query: empty,
        body: createAgentSessionBody,
        responses: { 201: createdAgentSessionResponse },
        errors: [
          'ambiguous_connections',
          'unknown_pinned_connection',
          'pinned_connection_not_matched',
          'unknown_integration',
          'unknown_tool',
          'unsupported_function_type',
          'tool_not_in_toolset',
          'unknown_meta_tool',
          'resource_capped',
        ],
        example: {
          body: {
            tenant: { connections: { pinned: [{ integration_id: 'practice', connection_id: 'me' }] } },
            expires_in: '30m',
          },
        },
      },
    },
    {
      ...shared,
      method: 'get',
      path: '/sessions',
      handler: listSessions(use),
      openapi: {
        id: 'listAgentSessions',
        tag: 'Agent sessions',
        summary: 'List agent sessions',
        details: 'Newest first, for 31 days after their end. A key that is limited to some connections sees its own.',
        query: listAgentSessionsQuery,
        responses: { 200: agentSessionsResponse },
        example: { path: '/sessions?limit=10' },
      },
    },
    {
      ...shared,
      method: 'get',
      path: '/sessions/:sessionId',
      handler: getSession(use),
      openapi: {
        id: 'getAgentSession',
        tag: 'Agent sessions',
        summary: 'Get an agent session',
        params: agentSessionParams,
        query: empty,
        responses: { 200: agentSessionResponse },
        errors: NO_SESSION,
        example: { path: '/sessions/$AGENT_SESSION' },
      },
    },
    {
      ...shared,
      method: 'get',
      path: '/sessions/:sessionId/calls',
      handler: listCalls(use),
      openapi: {
        id: 'listAgentSessionCalls',
        tag: 'Agent sessions',
        summary: 'List what an agent session changed',
        details: 'Calls that wrote, newest first, and whether each can be taken back.',
        params: agentSessionParams,
        query: empty,
        responses: { 200: agentCallsResponse },
        errors: NO_SESSION,
        example: { path: '/sessions/$AGENT_SESSION/calls' },
      },
    },
    {
      ...shared,
      method: 'post',
      path: '/sessions/:sessionId/calls/:callId/undo',
      // It writes, and asks nobody.
      scopes: ['environment:actions:execute'],
      handler: undoCall(use),
      audit: { action: 'agent_call_undone', subject: ({ params }) => String(params['callId']) },
      openapi: {
        id: 'undoAgentSessionCall',
        tag: 'Agent sessions',
        summary: 'Take back what a call of an agent session did',
        details:
          'Runs the `undo` of the action, once, for seven days after the call, as a write within the limits of the session. A refusal says why.',
        params: agentCallParams,
        query: empty,
        responses: { 200: agentCallResponse },
        errors: ['session_not_found', 'not_found', 'undo_refused', 'call_limit_reached'],
        example: { path: '/sessions/$AGENT_SESSION/calls/$CALL/undo' },
      },
    },
    {
      ...shared,
      method: 'delete',
      path: '/sessions/:sessionId',
      handler: endSession(use),
      audit: { action: 'agent_session_ended', subject: ({ params }) => String(params['sessionId']) },
      openapi: {
        id: 'endAgentSession',
        tag: 'Agent sessions',
        summary: 'End an agent session',
        details: 'Its token is invalid at once. Of a session that is over, the answer says when and why.',
        params: agentSessionParams,
        query: empty,
        responses: { 200: endedAgentSessionResponse },
        errors: NO_SESSION,
        example: { path: '/sessions/$AGENT_SESSION' },
      },
    },
  ];
}

/** A limited key sees only the sessions that it made. */
const ownKeyOf = ({ allowed, caller }: ApiRequest): number | undefined => (allowed === null ? undefined : caller.keyId);

function createSession(use: AgentSessionsApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(createAgentSessionBody, request.body);
    const { allowed, caller, environment } = request;
    const owner = { environment, madeBy: 'key', keyId: caller.keyId, allowed } as const;
    return created({ data: presentCreatedSession(await use.agentSessions.create(owner, body), use.dashboardUrl()) });
  };
}

function listSessions(use: AgentSessionsApiDeps): Handler {
  return async (request) => {
    const query = validateQuery(listAgentSessionsQuery, request.query);
    const sessions = await use.agentSessions.list(request.environment, { ...query, keyId: ownKeyOf(request) });
    return ok({ data: sessions.map((one) => presentAgentSession(one, use.dashboardUrl())) });
  };
}

function listCalls(use: AgentSessionsApiDeps): Handler {
  return async (request) => {
    const { sessionId } = validateParams(agentSessionParams, request.params);
    validateQuery(empty, request.query);
    const calls = await use.sessionCalls.list(request.environment, { sessionId, keyId: ownKeyOf(request) });
    return ok({ data: calls.map(presentAgentCall) });
  };
}

function undoCall(use: AgentSessionsApiDeps): Handler {
  return async (request) => {
    const named = validateParams(agentCallParams, request.params);
    validateQuery(empty, request.query);
    const of = { ...named, keyId: ownKeyOf(request) };
    const call = await use.sessionCalls.undo(request.environment, of, { trigger: 'api', name: 'A key' });
    return ok({ data: presentAgentCall(call) });
  };
}

function getSession(use: AgentSessionsApiDeps): Handler {
  return async (request) => {
    const { sessionId } = validateParams(agentSessionParams, request.params);
    validateQuery(empty, request.query);
    const found = await use.agentSessions.get(request.environment, sessionId, ownKeyOf(request));
    return ok({ data: presentAgentSession(found, use.dashboardUrl()) });
  };
}

function endSession(use: AgentSessionsApiDeps): Handler {
  return async (request) => {
    const { sessionId } = validateParams(agentSessionParams, request.params);
    validateQuery(empty, request.query);
    const ended = await use.agentSessions.end(request.environment, sessionId, ownKeyOf(request));
    return ok({ data: presentEndedSession(ended) });
  };
}
