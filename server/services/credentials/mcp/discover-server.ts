import type { AuthorizationServerMetadata } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { TokenAnswer, TokenContext } from '../token-context.ts';
import { safeAddress } from './safe-address.ts';

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

/** A server that sends nothing for this long is given up. */
const TIMEOUT_MS = 10_000;
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** The first request of a client; a server that requires authorization answers 401. */
const INITIALIZE_REQUEST = JSON.stringify({
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

/**
 * `fetch` for a library, over the guarded sender. `check` sees every address, including those of redirects, and throws
 * for forbidden ones. Redirects are returned, not followed.
 */
function sendAsFetch({ send }: Pick<TokenContext, 'send'>, check: (url: string) => void): FetchLike {
  return async (url, init = {}) => {
    check(String(url));
    const answer = await send({
      method: init.method === 'POST' ? 'POST' : 'GET',
      url: String(url),
      headers: { 'user-agent': 'Homeport', ...Object.fromEntries(new Headers(init.headers)) },
      ...(typeof init.body === 'string' ? { body: init.body } : {}),
      timeoutMs: TIMEOUT_MS,
      isProbe: true,
    });
    return toResponse(answer);
  };
}

function toResponse({ status, headers, text }: TokenAnswer): Response {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  return new Response(WITHOUT_BODY.has(status) ? null : text, { status, headers: pairs });
}

async function askForChallenge(
  library: Library,
  fetchFn: FetchLike,
  serverUrl: URL,
): Promise<ReturnType<Library['extractWWWAuthenticateParams']>> {
  const response = await fetchFn(serverUrl, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: INITIALIZE_REQUEST,
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
    throw refuse(serverUrl, 'Its description names another address');
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
    throw refuse(serverUrl, 'Its authorization server names another issuer');
  }
  if (!metadata.response_types_supported.includes('code')) {
    throw refuse(serverUrl, 'Its authorization server does not support authorization codes');
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
  if (/[{}|]/.test(text)) throw refuse(serverUrl, 'Its description contains an invalid address');
}

function toRefusal(serverUrl: URL, what: string, error: unknown): HomeportError {
  return error instanceof HomeportError ? error : refuse(serverUrl, what, error);
}

function refuse(serverUrl: URL, what: string, cause?: unknown): HomeportError {
  return new HomeportError(
    'mcp_discovery_failed',
    `Homeport cannot sign in at the MCP server ${serverUrl.host}. ${what}. Check the address, or ask who runs the server.`,
    cause === undefined ? {} : { cause },
  );
}

function withoutSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text;
}
