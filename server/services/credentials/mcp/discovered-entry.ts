import type { ProviderEntry } from '../../../catalog/entry-schema.ts';
import { isMap } from '../../../catalog/merge-entries.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { OAuthClient } from '../auth-modes/token-endpoint.ts';

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

/** The required issuer of the authorization's answer (RFC 9207). */
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
