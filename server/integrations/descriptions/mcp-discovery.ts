import type {
  AuthorizationServerMetadata,
  OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';

const loadLibrary = () => import('@modelcontextprotocol/sdk/client/auth.js');

/** The first request of an MCP client. A server that requires a sign-in answers 401. */
export const FIRST_REQUEST = {
  method: 'POST',
  headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'homeport', version: '1' } },
  }),
} as const;

/** What a 401 says about the sign-in: where the server describes itself, and which scopes it wants. */
export async function readChallenge(
  response: Response,
): Promise<{ resourceMetadataUrl?: URL | undefined; scope?: string | undefined }> {
  return response.status === 401 ? (await loadLibrary()).extractWWWAuthenticateParams(response) : {};
}

/** The description of the server itself (RFC 9728): where the 401 says, else at the well-known addresses. Throws. */
export async function findProtectedResource(
  fetchFn: FetchLike,
  serverUrl: URL,
  named: URL | undefined,
): Promise<OAuthProtectedResourceMetadata> {
  const options = named ? { resourceMetadataUrl: named } : {};
  return (await loadLibrary()).discoverOAuthProtectedResourceMetadata(serverUrl, options, fetchFn);
}

/** The metadata of its authorization server (RFC 8414, OpenID Connect). Throws when they are not valid. */
export async function findServerMetadata(
  fetchFn: FetchLike,
  issuer: string,
): Promise<AuthorizationServerMetadata | undefined> {
  return (await loadLibrary()).discoverAuthorizationServerMetadata(issuer, { fetchFn });
}
