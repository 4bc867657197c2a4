import type { Request } from 'express';
import { mcpAddress } from '../../mcp/mcp.api.ts';
import type { PublicRoute } from '../../platform/http/route.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import type { AgentSession } from '../agent-session.ts';
import {
  createSessionServer,
  readToken,
  refuseForeignOrigin,
  type SessionEndpointDeps,
} from '../session-endpoint.api.ts';
import { type AgentSignInApiDeps, doorOf, signInChallenge } from './sign-in.api.ts';
import { AGENT_MCP_PATH } from './sign-in.contract.ts';

export type FrontDoorDeps = SessionEndpointDeps & AgentSignInApiDeps;

const HEADERS = { authorization: 'Bearer $ACCESS_TOKEN', accept: 'application/json, text/event-stream' };

/** The one MCP address for programs that sign in: it serves the session that a person made of the sign-in (agents.md 5). */
export function frontDoorApi(use: FrontDoorDeps): PublicRoute[] {
  const serve = createSessionServer(use);
  /** Throws a 401 that says where to sign in. */
  const open = async (http: Request): Promise<AgentSession> => {
    refuseForeignOrigin(http.headers);
    const { base } = doorOf(use, http);
    try {
      const token = readToken(
        http.headers.authorization,
        `Sign in first: ${base}/.well-known/oauth-protected-resource`,
      );
      const sessionId = await use.agentSignIn.findSessionId(token);
      const session = sessionId === undefined ? undefined : await use.agentSessions.findLive(sessionId);
      if (session) return session;
    } catch (error) {
      http.res?.setHeader('WWW-Authenticate', signInChallenge(base));
      throw error;
    }
    http.res?.setHeader('WWW-Authenticate', `${signInChallenge(base)}, error="invalid_token"`);
    throw new HomeportError('session_not_found', 'The access token is unknown or over. Refresh it, or sign in again.', {
      status: 401,
    });
  };
  const admit: PublicRoute['admit'] = async (request) => {
    await open(request as Request);
  };
  const refused = {
    details: 'There is no stream to listen to, and no client session to end.',
    example: { headers: HEADERS },
  };
  return mcpAddress({
    route: { path: AGENT_MCP_PATH, access: 'public', admit },
    described: {
      tag: 'Agent sessions',
      errors: ['missing_auth_header', 'malformed_auth_header', [401, 'session_not_found'], 'forbidden'],
    },
    call: {
      handler: async (request) => serve(await open(request.http), request),
      openapi: {
        id: 'callAgents',
        summary: 'Use the tools of the session of a sign-in over the Model Context Protocol',
        details:
          'As at the address of a session, with an access token of the sign-in. Without one the 401 says where to sign in.',
        example: { headers: HEADERS, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
      },
    },
    listen: { id: 'listenAgents', ...refused },
    end: { id: 'endAgents', ...refused },
  });
}
