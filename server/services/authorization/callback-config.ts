import type { Minted, StoredCredentials } from '../credentials/credentials-service.ts';

type Config = Record<string, unknown>;

/** What was entered or set wins; an empty text there gives way to what the provider says (auth-and-connect.md 3.5). */
export function mergeConfig(found: Config, entered: Config): Config {
  const kept = Object.entries(entered).filter(([name, value]) => value !== '' || found[name] === undefined);
  return { ...found, ...Object.fromEntries(kept) };
}

/** Of the callback's parameters those that the entry names. */
export function pickNamed(
  query: Readonly<Record<string, string>>,
  names: readonly string[] | undefined,
): Record<string, string> {
  return Object.fromEntries((names ?? []).flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])));
}

/** The overrides of a sign-in are credentials; only what they leave behind is configuration. */
export function settleOverrides(credentials: StoredCredentials, config: Config): Minted {
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

/** The configuration as it is stored: no secret of a sign-in in it, scopes as a list. */
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
