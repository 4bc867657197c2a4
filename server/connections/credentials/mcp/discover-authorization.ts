import type { AuthorizationServerMetadata } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { ProviderEntry } from '../../../integrations/catalog/entry-schema.ts';
import { isMap } from '../../../integrations/catalog/merge-entries.ts';
import {
  FIRST_REQUEST,
  findProtectedResource,
  findServerMetadata,
  readChallenge,
} from '../../../integrations/descriptions/mcp-discovery.ts';
import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import type { OAuthClient } from '../auth-modes/token-endpoint.ts';
import type { TokenContext, TokenResponse } from '../token-context.ts';
import { type RegisteredClient, registerClient } from './register-client.ts';
import { safeAddress } from './safe-address.ts';

export interface DiscoveryRequest {
  callbackUrl: string;
  /** The hub's client id metadata document; undefined where servers cannot read it. */
  documentUrl: string | undefined;
  allowedHosts: readonly string[];
}

export interface DiscoveredAuthorization {
  /** Configuration of the connection: everything that the code exchange and renewals need (auth-and-connect.md 3.8). */
  config: Record<string, string>;
  scopes: string[];
}

/** The metadata that later requests use; a server may send much more. */
const KEPT_METADATA = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
  'token_endpoint_auth_methods_supported',
  'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported',
];
/** Shown on the server's consent page; the integration may set another name. */
const CLIENT_NAME = 'Homeport';

/** Finds everything for an authorization at the configured MCP server, including the hub's client there. */
export async function discoverAuthorization(
  context: TokenContext,
  request: DiscoveryRequest,
): Promise<DiscoveredAuthorization> {
  const serverUrl = serverOf(context, request.allowedHosts);
  const server = await discoverServer(context, serverUrl, request.allowedHosts);
  const client = await findClient(context, server, request);
  const { metadata, resource, scopes } = server;
  const kept = Object.entries(metadata).filter(([name]) => KEPT_METADATA.includes(name));
  return {
    scopes,
    config: {
      mcp_server_url: serverUrl.href,
      oauth_metadata: JSON.stringify(Object.fromEntries(kept)),
      oauth_client_info: JSON.stringify(await withMethod(client, metadata)),
      ...(resource === undefined ? {} : { oauth_resource_url: resource }),
    },
  };
}

/** The server of the provider's entry, else the integration's, else the one that the end user or the session names. */
function serverOf({ entry, connectionConfig, custom }: TokenContext, allowedHosts: readonly string[]): URL {
  const text = entry.mcp_server_url || custom['mcp_server_url'] || connectionConfig['mcp_server_url'];
  const url = typeof text === 'string' ? safeAddress(text, allowedHosts) : undefined;
  if (url) return url;
  throw new HomeportError(
    'url_param_err',
    'Enter the address of the MCP server (mcp_server_url). It begins with https://; plain http is for servers on this ' +
      'computer whose host is in the setting allowed_hosts of the environment.',
  );
}

/**
 * The client of the authorization or the integration, else the hub's document or a newly registered one. An integration's client is used only
 * at the server that the entry or the integration fixes: its secret must not be sent to a server that an end user names.
 */
async function findClient(
  context: TokenContext,
  { metadata }: DiscoveredServer,
  { callbackUrl, documentUrl }: DiscoveryRequest,
): Promise<RegisteredClient> {
  const { app, connectionConfig, custom, entry } = context;
  const own = clientFrom(
    connectionConfig['oauth_client_id_override'],
    connectionConfig['oauth_client_secret_override'],
  );
  const fixed =
    entry.mcp_server_url || custom['mcp_server_url'] ? clientFrom(app.clientId, app.clientSecret) : undefined;
  const known = own ?? fixed;
  if (known) return known;
  // Nothing is kept at the server, so a document comes before a registration.
  if (metadata.client_id_metadata_document_supported && documentUrl !== undefined)
    return { client_id: documentUrl, token_endpoint_auth_method: 'none' };
  const { registration_endpoint: address, token_endpoint_auth_methods_supported: methods } = metadata;
  if (address === undefined) {
    throw new HomeportError(
      'provider_config_err',
      'The MCP server does not register clients automatically. Register one there, and enter its client id together with the ' +
        'address of the server in the settings of the integration.',
    );
  }
  const { client_name: name, client_uri: uri, client_logo_uri: logo } = custom;
  return registerClient(context, address, {
    callbackUrl,
    clientName: name || CLIENT_NAME,
    authMethod: preferredMethod(methods),
    further: { ...(uri ? { client_uri: uri } : {}), ...(logo ? { logo_uri: logo } : {}) },
  });
}

/** A program on a user's computer cannot keep a secret from the user, so `none` is preferred when it is offered. */
function preferredMethod(methods: readonly string[] | undefined): string {
  if (methods === undefined) return 'client_secret_basic';
  return ['none', 'client_secret_basic', 'client_secret_post'].find((method) => methods.includes(method)) ?? 'none';
}

/** Fixes the client's authentication method at the token endpoint. */
async function withMethod(client: RegisteredClient, metadata: DiscoveredServer['metadata']): Promise<RegisteredClient> {
  const { selectClientAuthMethod } = await import('@modelcontextprotocol/sdk/client/auth.js');
  const methods = metadata.token_endpoint_auth_methods_supported ?? [];
  return { ...client, token_endpoint_auth_method: selectClientAuthMethod(client, methods) };
}

function clientFrom(id: unknown, secret: unknown): RegisteredClient | undefined {
  if (typeof id !== 'string' || id === '') return undefined;
  return { client_id: id, ...(typeof secret === 'string' && secret !== '' ? { client_secret: secret } : {}) };
}

/** How to authorize at an MCP server; already checked. */
export interface DiscoveredServer {
  metadata: AuthorizationServerMetadata;
  /**
   * The resource for which tokens are requested (RFC 8707), unchanged; absent when the server does not describe itself.
   */
  resource: string | undefined;
  scopes: string[];
}

/** Limit for each request of the discovery, with the body of its response. */
const TIMEOUT_MS = 10_000;
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Finds the authorization server of an MCP server and what it can do: protected-resource metadata (RFC 9728, by the
 * header of a 401 or the well-known address), then authorization-server metadata (RFC 8414, OpenID Connect).
 */
async function discoverServer(
  context: TokenContext,
  serverUrl: URL,
  allowedHosts: readonly string[],
): Promise<DiscoveredServer> {
  const check = (url: string): void => void requireSafe(url, serverUrl, allowedHosts);
  const fetchFn = sendAsFetch(context, check);
  const challenge = await readChallenge(await fetchFn(serverUrl, FIRST_REQUEST));
  const resource = await findResource(fetchFn, serverUrl, challenge.resourceMetadataUrl);
  const issuer = resource?.authorization_servers?.[0] ?? serverUrl.origin;
  check(issuer);
  const metadata = await findMetadata(fetchFn, serverUrl, issuer);
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
    const response = await send({
      method: init.method === 'POST' ? 'POST' : 'GET',
      url: String(url),
      headers: { 'user-agent': 'Homeport', ...Object.fromEntries(new Headers(init.headers)) },
      ...(typeof init.body === 'string' ? { body: init.body } : {}),
      timeoutMs: TIMEOUT_MS,
      isProbe: true,
    });
    return toResponse(response);
  };
}

function toResponse({ status, headers, text }: TokenResponse): Response {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  return new Response(WITHOUT_BODY.has(status) ? null : text, { status, headers: pairs });
}

/** Undefined when the server does not describe itself, as servers of the protocol's first versions. */
async function findResource(fetchFn: FetchLike, serverUrl: URL, named: URL | undefined) {
  const found = await findProtectedResource(fetchFn, serverUrl, named).catch((error) => {
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

async function findMetadata(fetchFn: FetchLike, serverUrl: URL, issuer: string) {
  try {
    const metadata = await findServerMetadata(fetchFn, issuer);
    if (metadata) return metadata;
  } catch (error) {
    throw toRefusal(serverUrl, 'Its authorization server cannot be read', error);
  }
  throw refuse(serverUrl, 'It does not describe its authorization');
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
    `Homeport cannot be authorized at the MCP server ${serverUrl.host}. ${what}. Check the address, or ask who runs the server.`,
    cause === undefined ? {} : { cause },
  );
}

function withoutSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text;
}

/**
 * Whether the connection holds everything about the authorization server, as in the mode of MCP servers
 * (auth-and-connect.md 3.8).
 */
export function isDiscovered({ auth_mode: mode }: ProviderEntry): boolean {
  return mode === 'MCP_OAUTH2_GENERIC';
}

/** The entry as if the catalogue contained the connection's server. */
export function discoveredEntry(entry: ProviderEntry, config: Record<string, unknown>): ProviderEntry {
  const metadata = readJson(config, 'oauth_metadata');
  const client = readJson(config, 'oauth_client_info');
  const resource = config['oauth_resource_url'];
  const forResource = typeof resource === 'string' ? { resource } : {};
  const { name, source, display_name, auth_mode, proxy, token_expiration_buffer: buffer } = entry;
  return {
    ...{ name, source, display_name, auth_mode },
    ...(proxy ? { proxy } : {}),
    ...(buffer === undefined ? {} : { token_expiration_buffer: buffer }),
    authorization_url: String(metadata['authorization_endpoint']),
    authorization_params: { ...entry.authorization_params, ...forResource },
    authorization_url_skip_empty: true,
    token_url: String(metadata['token_endpoint']),
    token_params: { ...entry.token_params, ...forResource },
    ...(client['token_endpoint_auth_method'] === 'client_secret_basic' ? { authorization_method: 'header' } : {}),
  };
}

/** The hub's client at the connection's server. */
export function discoveredClient(config: Record<string, unknown>): OAuthClient {
  const {
    client_id: id,
    client_secret: secret,
    token_endpoint_auth_method: method,
  } = readJson(config, 'oauth_client_info');
  return { id: String(id), secret: method === 'none' || typeof secret !== 'string' ? undefined : secret };
}

/** The required issuer of the authorization's response (RFC 9207). */
export function discoveredIssuer(config: Record<string, unknown>): { issuer: string; isAlwaysNamed: boolean } {
  const metadata = readJson(config, 'oauth_metadata');
  return {
    issuer: String(metadata['issuer']),
    isAlwaysNamed: metadata['authorization_response_iss_parameter_supported'] === true,
  };
}

function readJson(config: Record<string, unknown>, name: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(String(config[name]));
    if (isMap(value)) return value;
  } catch {
    // Not JSON, or absent: the connection was not created by an authorization here.
  }
  throw new HomeportError(
    'missing_connection_config',
    `The connection does not know its authorization server (${name}). Connect again.`,
  );
}
