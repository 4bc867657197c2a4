import type { Request } from 'express';
import { type ApiRequest, type Handler, type JsonReply, ok, type PublicRoute } from '../../platform/http/route.ts';
import {
  AGENT_MCP_PATH,
  authorizationServerResponse,
  authorizeQuery,
  clientMetadata,
  oauthErrorResponse,
  protectedResourceResponse,
  registeredClientResponse,
  revokeBody,
  tokenBody,
  tokenResponse,
} from './sign-in.contract.ts';
import type { AgentSignInService, FrontDoor } from './sign-in.service.ts';

export interface AgentSignInApiDeps {
  agentSignIn: AgentSignInService;
  /** Origin of the hub on this computer. */
  localBase: () => string;
  /** Origin of the public address; the same as `localBase` without one. */
  publicBase: () => string;
  /** Origin at which the dashboard of a person is signed in. */
  dashboardUrl: () => string;
}

const REFUSED = { 400: oauthErrorResponse, 401: oauthErrorResponse, 429: oauthErrorResponse };
const RESOURCE_METADATA = '/.well-known/oauth-protected-resource/agents/mcp';

/** How MCP clients that take no key sign in (agents.md 5). */
export function agentSignInApi(use: AgentSignInApiDeps): PublicRoute[] {
  const described = { access: 'public' } as const;
  const door = (request: Request): FrontDoor => doorOf(use, request);
  return [
    ...['/.well-known/oauth-protected-resource', RESOURCE_METADATA].map(
      (path, index): PublicRoute => ({
        ...described,
        method: 'get',
        path,
        handler: ({ http }) => ok(describeResource(door(http))),
        openapi: {
          id: index === 0 ? 'getAgentResource' : 'getAgentResourceOfAddress',
          tag: 'Agent sessions',
          summary: 'Describe the MCP address for OAuth (RFC 9728)',
          responses: { 200: protectedResourceResponse },
        },
      }),
    ),
    ...['/.well-known/oauth-authorization-server', '/.well-known/oauth-authorization-server/agents/mcp'].map(
      (path, index): PublicRoute => ({
        ...described,
        method: 'get',
        path,
        handler: ({ http }) => ok(describeServer(door(http))),
        openapi: {
          id: index === 0 ? 'getAgentAuthorizationServer' : 'getAgentAuthorizationServerOfAddress',
          tag: 'Agent sessions',
          summary: 'Describe the sign-in of MCP clients (RFC 8414)',
          responses: { 200: authorizationServerResponse },
        },
      }),
    ),
    {
      ...described,
      method: 'post',
      path: '/agents/register',
      handler: inOAuthWords(use, async ({ body, http }) => {
        const client = await use.agentSignIn.register(body, door(http));
        return {
          status: 201,
          body: {
            client_id: client.id,
            client_id_issued_at: Math.floor(client.registeredAt / 1000),
            client_name: client.name,
            redirect_uris: client.redirectUris,
            token_endpoint_auth_method: 'none',
            grant_types: ['authorization_code', 'refresh_token'],
            response_types: ['code'],
          },
        };
      }),
      openapi: {
        id: 'registerAgentClient',
        tag: 'Agent sessions',
        summary: 'Register an MCP client (RFC 7591)',
        details: 'Redirect addresses that lead to no program of this computer are left out of the registration.',
        body: clientMetadata,
        responses: { 201: registeredClientResponse, ...REFUSED },
        example: { body: { client_name: 'My agent', redirect_uris: ['http://127.0.0.1:8976/callback'] } },
      },
    },
    {
      ...described,
      method: 'get',
      path: '/agents/authorize',
      handler: async ({ http, query, response }) => {
        const begun = await use.agentSignIn.begin(query, door(http));
        const target =
          'redirect' in begun ? begun.redirect : `${use.dashboardUrl()}/app/agent-sign-in?request=${begun.id}`;
        response.setHeader('Cache-Control', 'no-store');
        response.status(302).location(target).end();
        return undefined;
      },
      openapi: {
        id: 'authorizeAgentClient',
        tag: 'Agent sessions',
        summary: 'Ask the person for access',
        details: 'Opened in a browser. A signed-in person chooses connections and tools; PKCE with S256 is required.',
        query: authorizeQuery,
        unchecked: ['query'],
        responses: { 302: null },
        errors: ['invalid_query_params', 'too_many_request'],
        example: {
          path:
            '/agents/authorize?response_type=code&client_id=$AGENT_CLIENT&redirect_uri=http%3A%2F%2F127.0.0.1%3A8976%2Fcallback' +
            '&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256',
        },
      },
    },
    {
      ...described,
      method: 'post',
      path: '/agents/token',
      handler: inOAuthWords(use, async ({ body, http }) => {
        const tokens = await use.agentSignIn.exchange(body, door(http));
        return { status: 200, body: tokens, headers: { 'Cache-Control': 'no-store' } };
      }),
      openapi: {
        id: 'issueAgentTokens',
        tag: 'Agent sessions',
        summary: 'Get tokens for a code or a refresh token',
        details: 'A code or a refresh token that is used twice ends its session.',
        body: tokenBody,
        responses: { 200: tokenResponse, ...REFUSED },
        example: {
          body: { grant_type: 'refresh_token', refresh_token: '$REFRESH_TOKEN', client_id: '$AGENT_CLIENT' },
        },
      },
    },
    {
      ...described,
      method: 'post',
      path: '/agents/revoke',
      handler: inOAuthWords(use, async ({ body }) => {
        await use.agentSignIn.revoke(body);
        return { status: 200, body: {} };
      }),
      openapi: {
        id: 'revokeAgentTokens',
        tag: 'Agent sessions',
        summary: 'Give tokens back (RFC 7009)',
        details: 'Ends the session of the token.',
        body: revokeBody,
        responses: { 200: clientMetadata.pick({}), ...REFUSED },
        example: { body: { token: '$ACCESS_TOKEN' } },
      },
    },
  ];
}

/** The 401 of the MCP address, by which a client finds the sign-in (RFC 9728, 5.1). */
export function signInChallenge(base: string): string {
  return `Bearer resource_metadata="${base}${RESOURCE_METADATA}"`;
}

/** By which address a request came. The answers name this one, because a client compares them. */
export function doorOf(
  { localBase, publicBase }: Pick<AgentSignInApiDeps, 'localBase' | 'publicBase'>,
  { headers }: Request,
): FrontDoor {
  const host = headers.host ?? '';
  const isPublic = publicBase() !== localBase() && new URL(publicBase()).host === host;
  // `localhost` and 127.0.0.1 are one hub, but two origins.
  return { base: isPublic ? publicBase() : `http://${host}`, isPublic };
}

function describeResource(door: FrontDoor) {
  return {
    resource: `${door.base}${AGENT_MCP_PATH}`,
    authorization_servers: [door.base],
    bearer_methods_supported: ['header' as const],
    resource_name: 'Homeport',
  };
}

function describeServer({ base }: FrontDoor) {
  return {
    issuer: base,
    authorization_endpoint: `${base}/agents/authorize`,
    token_endpoint: `${base}/agents/token`,
    registration_endpoint: `${base}/agents/register`,
    revocation_endpoint: `${base}/agents/revoke`,
    response_types_supported: ['code' as const],
    response_modes_supported: ['query' as const],
    grant_types_supported: ['authorization_code' as const, 'refresh_token' as const],
    code_challenge_methods_supported: ['S256' as const],
    token_endpoint_auth_methods_supported: ['none' as const],
    revocation_endpoint_auth_methods_supported: ['none' as const],
    client_id_metadata_document_supported: true as const,
    authorization_response_iss_parameter_supported: true as const,
  };
}

/** Answers a refusal in the form that OAuth clients read. */
function inOAuthWords(use: AgentSignInApiDeps, handler: (request: ApiRequest) => Promise<JsonReply>): Handler {
  return async (request) => {
    try {
      return await handler(request);
    } catch (error) {
      const refusal = use.agentSignIn.refusalOf(error, doorOf(use, request.http));
      if (!refusal) throw error;
      return { ...refusal, headers: { ...refusal.headers, 'Cache-Control': 'no-store' } };
    }
  };
}
