import type { AuthorizationServerMetadata } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { TokenContext } from '../token-context.ts';
import { safeAddress } from './safe-address.ts';
import { sendAsFetch } from './send-as-fetch.ts';

/** How to authorize at an MCP server; already checked. */
export interface DiscoveredServer {
  metadata: AuthorizationServerMetadata;
  /**
   * The resource for which tokens are requested (RFC 8707), unchanged; absent when the server does not describe itself.
   */
  resource: string | undefined;
  scopes: string[];
}

type Library = typeof import('@modelcontextprotocol/sdk/client/auth.js');

/** The first request of a client; a server that requires authorization answers 401. */
const GREETING = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'homeport', version: '1' } },
});

/**
 * Finds the authorization server of an MCP server and what it can do: protected-resource metadata (RFC 9728, by the
 * header of a 401 or the well-known address), then authorization-server metadata (RFC 8414, OpenID Connect).
 */
export async function discoverServer(
  context: TokenContext,
  serverUrl: URL,
  allowedHosts: readonly string[],
): Promise<DiscoveredServer> {
  const library = await import('@modelcontextprotocol/sdk/client/auth.js');
  const check = (url: string): void => void requireSafe(url, serverUrl, allowedHosts);
  const fetchFn = sendAsFetch(context, check);
  const challenge = await askForChallenge(library, fetchFn, serverUrl);
  const resource = await findResource(library, fetchFn, serverUrl, challenge.resourceMetadataUrl);
  const issuer = resource?.authorization_servers?.[0] ?? serverUrl.origin;
  check(issuer);
  const metadata = await findMetadata(library, fetchFn, serverUrl, issuer);
  checkMetadata(metadata, issuer, serverUrl);
  const { authorization_endpoint: authorize, token_endpoint: token, registration_endpoint: register } = metadata;
  for (const endpoint of [authorize, token, register]) if (endpoint !== undefined) check(endpoint);
  const wanted = challenge.scope?.split(/\s+/).filter((scope) => scope !== '') ?? resource?.scopes_supported;
  return { metadata, resource: resource?.resource, scopes: withRefresh(wanted, metadata.scopes_supported) };
}

async function askForChallenge(
  library: Library,
  fetchFn: FetchLike,
  serverUrl: URL,
): Promise<ReturnType<Library['extractWWWAuthenticateParams']>> {
  const response = await fetchFn(serverUrl, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: GREETING,
  });
  return response.status === 401 ? library.extractWWWAuthenticateParams(response) : {};
}

/** Undefined when the server does not describe itself, as servers of the protocol's first versions. */
async function findResource(library: Library, fetchFn: FetchLike, serverUrl: URL, named: URL | undefined) {
  const options = named ? { resourceMetadataUrl: named } : {};
  const found = await library.discoverOAuthProtectedResourceMetadata(serverUrl, options, fetchFn).catch((error) => {
    if (error instanceof HomeportError || named) throw toRefusal(serverUrl, 'Its own description is missing', error);
    return undefined; // The well-known addresses have no description.
  });
  if (!found) return undefined;
  const { checkResourceAllowed } = await import('@modelcontextprotocol/sdk/shared/auth-utils.js');
  if (!checkResourceAllowed({ requestedResource: serverUrl, configuredResource: found.resource })) {
    throw refuse(serverUrl, 'It describes itself under another address');
  }
  requireTemplateFree(found.resource, serverUrl);
  return found;
}

async function findMetadata(library: Library, fetchFn: FetchLike, serverUrl: URL, issuer: string) {
  try {
    const metadata = await library.discoverAuthorizationServerMetadata(issuer, { fetchFn });
    if (metadata) return metadata;
  } catch (error) {
    throw toRefusal(serverUrl, 'Its authorization server cannot be read', error);
  }
  throw refuse(serverUrl, 'It does not say how to sign in');
}

/** A server may describe only itself (RFC 8414, 3.3), and must protect the code (RFC 7636). */
function checkMetadata(metadata: AuthorizationServerMetadata, issuer: string, serverUrl: URL): void {
  if (withoutSlash(metadata.issuer) !== withoutSlash(issuer)) {
    throw refuse(serverUrl, 'Its authorization server answers in the name of another one');
  }
  if (!metadata.response_types_supported.includes('code')) {
    throw refuse(serverUrl, 'Its authorization server gives no codes');
  }
  if (!metadata.code_challenge_methods_supported?.includes('S256')) {
    throw refuse(serverUrl, 'Its authorization server does not protect codes by PKCE (S256)');
  }
}

/** Without `offline_access`, a server that supports it issues no refresh token. */
function withRefresh(wanted: string[] | undefined, supported: string[] | undefined): string[] {
  if (wanted === undefined) return supported ?? [];
  return supported?.includes('offline_access') && !wanted.includes('offline_access')
    ? [...wanted, 'offline_access']
    : wanted;
}

function requireSafe(address: string, serverUrl: URL, allowedHosts: readonly string[]): URL {
  const url = safeAddress(address, allowedHosts);
  if (url) return url;
  throw refuse(serverUrl, 'It names an address that is not https');
}

/** The text is inserted into a template of the catalogue, where braces have a meaning. */
function requireTemplateFree(text: string, serverUrl: URL): void {
  if (/[{}|]/.test(text)) throw refuse(serverUrl, 'It describes itself under an address that is none');
}

function toRefusal(serverUrl: URL, what: string, error: unknown): HomeportError {
  return error instanceof HomeportError ? error : refuse(serverUrl, what, error);
}

function refuse(serverUrl: URL, what: string, cause?: unknown): HomeportError {
  return new HomeportError(
    'mcp_discovery_failed',
    `The MCP server ${serverUrl.host} cannot be signed in at. ${what}. Check the address, or ask who runs the server.`,
    cause === undefined ? {} : { cause },
  );
}

function withoutSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text;
}
