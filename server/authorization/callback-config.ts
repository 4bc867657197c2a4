import type { IssuedCredentials, StoredCredentials } from '../connections/credentials/credentials.service.ts';

type Config = Record<string, unknown>;

/** Entered and preset values take precedence, except empty texts (auth-and-connect.md 3.5). */
export function mergeConfig(found: Config, entered: Config): Config {
  const kept = Object.entries(entered).filter(([name, value]) => value !== '' || found[name] === undefined);
  return { ...found, ...Object.fromEntries(kept) };
}

/** The callback parameters that the entry names. */
export function pickNamed(
  query: Readonly<Record<string, string>>,
  names: readonly string[] | undefined,
): Record<string, string> {
  return Object.fromEntries((names ?? []).flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])));
}

/** Moves the client overrides of an authorization to the credentials; only the rest is configuration. */
export function moveOverridesToCredentials(credentials: StoredCredentials, config: Config): IssuedCredentials {
  const {
    oauth_client_id_override: clientId,
    oauth_client_secret_override: clientSecret,
    oauth_refresh_token_override: refreshToken,
  } = config;
  const override = {
    ...(clientId ? { client_id: clientId } : {}),
    ...(clientSecret ? { client_secret: clientSecret } : {}),
  };
  return {
    credentials: {
      ...credentials,
      ...(refreshToken
        ? { refresh_token: refreshToken, raw: { ...credentials.raw, refresh_token: refreshToken } }
        : {}),
      ...(Object.keys(override).length > 0 ? { config_override: override } : {}),
    },
    config: { ...withoutOverrides(config), ...(refreshToken ? { overrideTokenRefresh: true } : {}) },
  };
}

/** The configuration as it is stored: without secrets of the authorization, and with scopes as a list. */
export function withoutOverrides(config: Config): Config {
  const {
    oauth_client_id_override: _id,
    oauth_client_secret_override: _secret,
    oauth_refresh_token_override: _token,
    oauth_scopes_override: scopes,
    ...rest
  } = config;
  return scopes === undefined ? rest : { ...rest, oauth_scopes_override: toList(scopes) };
}

function toList(scopes: unknown): string[] {
  const list = Array.isArray(scopes) ? scopes.map(String) : String(scopes).split(',');
  return list.map((scope) => scope.trim()).filter((scope) => scope !== '');
}
