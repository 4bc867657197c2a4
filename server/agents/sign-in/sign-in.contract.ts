import { z } from 'zod';

/**
 * The sign-in of MCP clients (agents.md 5): OAuth 2.1 with metadata (RFC 8414, 9728), dynamic registration (RFC 7591),
 * PKCE and an audience (RFC 8707).
 */

export const protectedResourceResponse = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()),
  bearer_methods_supported: z.array(z.literal('header')),
  resource_name: z.string(),
});

export const authorizationServerResponse = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  registration_endpoint: z.string(),
  revocation_endpoint: z.string(),
  response_types_supported: z.array(z.literal('code')),
  response_modes_supported: z.array(z.literal('query')),
  grant_types_supported: z.array(z.enum(['authorization_code', 'refresh_token'])),
  code_challenge_methods_supported: z.array(z.literal('S256')),
  token_endpoint_auth_methods_supported: z.array(z.literal('none')),
  revocation_endpoint_auth_methods_supported: z.array(z.literal('none')),
  client_id_metadata_document_supported: z.literal(true),
  authorization_response_iss_parameter_supported: z.literal(true),
});

const MAX_NAME_LENGTH = 200;
const MAX_URI_LENGTH = 2048;
const MAX_URIS = 20;

/** What a program says about itself, at registration or in its metadata document. Unknown members are ignored. */
export const clientMetadata = z.object({
  client_name: z.string().trim().min(1).max(MAX_NAME_LENGTH).optional(),
  redirect_uris: z.array(z.string().max(MAX_URI_LENGTH)).min(1).max(MAX_URIS),
  token_endpoint_auth_method: z.string().optional(),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
});
export type ClientMetadata = z.infer<typeof clientMetadata>;

export const registeredClientResponse = z.object({
  client_id: z.string(),
  client_id_issued_at: z.number().int(),
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
  token_endpoint_auth_method: z.literal('none'),
  grant_types: z.array(z.string()),
  response_types: z.array(z.string()),
});

export const AGENT_MCP_PATH = '/agents/mcp';

/** Failures of OAuth have a form of their own (RFC 6749, 5.2). */
export const oauthErrorResponse = z.object({ error: z.string(), error_description: z.string() });

export const authorizeQuery = z.object({
  response_type: z.string().optional(),
  client_id: z.string().max(MAX_URI_LENGTH).optional(),
  redirect_uri: z.string().max(MAX_URI_LENGTH).optional(),
  code_challenge: z.string().max(200).optional(),
  code_challenge_method: z.string().optional(),
  state: z.string().max(4096).optional(),
  resource: z.string().max(MAX_URI_LENGTH).optional(),
  scope: z.string().max(4096).optional(),
});
export type AuthorizeQuery = z.infer<typeof authorizeQuery>;

export const tokenBody = z.object({
  grant_type: z.string().optional(),
  code: z.string().optional(),
  redirect_uri: z.string().optional(),
  client_id: z.string().optional(),
  code_verifier: z.string().optional(),
  refresh_token: z.string().optional(),
  resource: z.string().optional(),
});
export type TokenBody = z.infer<typeof tokenBody>;

export const tokenResponse = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.number().int(),
  refresh_token: z.string(),
});
export type AgentTokens = z.infer<typeof tokenResponse>;

export const revokeBody = z.object({ token: z.string().optional(), client_id: z.string().optional() });
