import type { Request } from 'express';
import { mcpAddress } from '../mcp/mcp.api.ts';
import { McpEndpoint } from '../mcp/mcp-endpoint.api.ts';
import { McpRefusal, requireOwnOrigin } from '../mcp/mcp-http.api.ts';
import { refusedKey } from '../platform/http/authenticate.ts';
import type { ApiRequest, PublicRoute, Reply } from '../platform/http/route.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { AgentSession } from './agent-session.ts';
import { agentSessionParams } from './agent-sessions.contract.ts';
import type { AgentSessionsService } from './agent-sessions.service.ts';
import type { AgentToolsService } from './agent-tools.service.ts';

export interface SessionEndpointDeps {
  agentSessions: AgentSessionsService;
  agentTools: AgentToolsService;
  logger: Logger;
  ids: Ids;
  /** Version of the program. */
  version: string;
}

const EXAMPLE = {
  path: '/session/$AGENT_SESSION/mcp',
  headers: { authorization: 'Bearer $SESSION_TOKEN', accept: 'application/json, text/event-stream' },
};

/** Returns a function that serves one request to a session whose caller was checked. */
export function createSessionServer(
  use: SessionEndpointDeps,
): (session: AgentSession, request: Pick<ApiRequest, 'http' | 'response' | 'body'>) => Promise<Reply> {
  const endpoint = new McpEndpoint(use);
  return (session, request) => endpoint.serve(use.agentTools.toolboxOf(session), `session:${session.id}`, request);
}

/** The MCP address of each session; its token opens nothing else (agents.md 2). */
export function sessionEndpointApi(use: SessionEndpointDeps): PublicRoute[] {
  const serve = createSessionServer(use);
  const open = ({ headers, params }: Pick<Request, 'headers' | 'params'>): Promise<AgentSession> => {
    refuseForeignOrigin(headers);
    return use.agentSessions.open(String(params['sessionId']), readToken(headers.authorization));
  };
  const admit: PublicRoute['admit'] = async (request) => {
    await open(request as Pick<Request, 'headers' | 'params'>);
  };
  return mcpAddress({
    route: { path: '/session/:sessionId/mcp', access: 'public', admit },
    described: {
      tag: 'Agent sessions',
      params: agentSessionParams,
      errors: ['session_not_found', 'missing_auth_header', 'malformed_auth_header', 'forbidden'],
    },
    call: {
      handler: async (request) => serve(await open(request.http), request),
      openapi: {
        id: 'callAgentSession',
        summary: 'Use the tools of an agent session over the Model Context Protocol',
        details:
          'Streamable HTTP as at `/mcp`, with the token of the session: `Authorization: Bearer <session_token>`. `tools/list` ' +
          'has the meta tools and the pinned tools; the others are found by `nango_tool_search` and run by `nango_execute`.',
        example: { ...EXAMPLE, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
      },
    },
    listen: {
      id: 'listenAgentSession',
      details: 'There is no stream to listen to. Clients that try get the 405 that the protocol asks for.',
      example: EXAMPLE,
    },
    end: {
      id: 'endAgentSessionClient',
      details: 'A client cannot end the session; `DELETE /sessions/{sessionId}` with a key does.',
      example: EXAMPLE,
    },
  });
}

/** Before anything is looked up: pages of other origins learn nothing. */
export function refuseForeignOrigin(headers: Request['headers']): void {
  try {
    requireOwnOrigin(headers);
  } catch (error) {
    if (!(error instanceof McpRefusal)) throw error;
    throw new HomeportError('forbidden', 'Pages of other origins may not use this address.');
  }
}

export function readToken(
  header: string | undefined,
  missing = 'Send the token of the session as "Authorization: Bearer <session_token>".',
): string {
  if (!header) throw refusedKey('missing_auth_header', missing);
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (token === undefined) throw refusedKey('malformed_auth_header', 'The Authorization header holds no token.');
  return token;
}
