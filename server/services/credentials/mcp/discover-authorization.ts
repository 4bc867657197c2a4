import { HomeportError } from '../../../lib/homeport-error.ts';
import type { TokenContext } from '../token-context.ts';
import { type DiscoveredServer, discoverServer } from './discover-server.ts';
import { type RegisteredClient, registerClient } from './register-client.ts';
import { safeAddress } from './safe-address.ts';

export interface DiscoveryRequest {
  callbackUrl: string;
  allowedHosts: readonly string[];
}

export interface DiscoveredAuthorization {
  /** For the connection: everything that its exchange and renewals need (auth-and-connect.md 3.8). */
  config: Record<string, string>;
  scopes: string[];
}

/** The metadata that later requests use; a server may send much more. */
const KEPT = [
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

/** Everything for an authorization at the configured MCP server, including the hub's client there. */
export async function discoverAuthorization(
  context: TokenContext,
  request: DiscoveryRequest,
): Promise<DiscoveredAuthorization> {
  const serverUrl = serverOf(context, request.allowedHosts);
  const server = await discoverServer(context, serverUrl, request.allowedHosts);
  const client = await findClient(context, server, request.callbackUrl);
  const { metadata, resource, scopes } = server;
  const kept = Object.entries(metadata).filter(([name]) => KEPT.includes(name));
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

/** The integration's server, else the one that the end user or the session names. */
function serverOf({ connectionConfig, custom }: TokenContext, allowedHosts: readonly string[]): URL {
  const text = custom['mcp_server_url'] || connectionConfig['mcp_server_url'];
  const url = typeof text === 'string' ? safeAddress(text, allowedHosts) : undefined;
  if (url) return url;
  throw new HomeportError(
    'url_param_err',
    'Enter the address of the MCP server (mcp_server_url). It begins with https://; plain http is for servers on this ' +
      'computer whose host is in the setting allowed_hosts of the environment.',
  );
}

/**
 * The client of the authorization or the integration, else a newly registered one. An integration's client is used only
 * at the server that the integration fixes: its secret must not be sent to a server that an end user names.
 */
async function findClient(
  context: TokenContext,
  { metadata }: DiscoveredServer,
  callbackUrl: string,
): Promise<RegisteredClient> {
  const { app, connectionConfig, custom } = context;
  const own = clientFrom(
    connectionConfig['oauth_client_id_override'],
    connectionConfig['oauth_client_secret_override'],
  );
  const fixed = custom['mcp_server_url'] ? clientFrom(app.clientId, app.clientSecret) : undefined;
  const known = own ?? fixed;
  if (known) return known;
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
