type Credentials = Record<string, unknown>;

/** Members of credentials that `POST /connections` takes, by type (http-api.md 4). */
const MEMBERS: Record<string, string[]> = {
  OAUTH2: ['access_token', 'refresh_token', 'expires_at', 'raw', 'config_override'],
  OAUTH2_CC: ['token', 'client_id', 'client_secret', 'client_certificate', 'client_private_key', 'expires_at'],
  OAUTH1: ['oauth_token', 'oauth_token_secret', 'raw'],
  API_KEY: ['apiKey'],
  BASIC: ['username', 'password'],
  TBA: ['token_id', 'token_secret', 'config_override'],
  NONE: [],
};

/** Modes whose tokens are obtained again with the connection's configuration. */
const INSTALLED = ['APP', 'CUSTOM'];

/** Exported credentials in the form of an import; undefined for modes that need a new authorization. */
export function toImportable(credentials: Credentials, config: Record<string, unknown>): Credentials | undefined {
  const type = typeof credentials['type'] === 'string' ? credentials['type'] : 'NONE';
  const { app_id, installation_id } = config;
  if (INSTALLED.includes(type) && app_id && installation_id) {
    return { type, app_id: String(app_id), installation_id: String(installation_id) };
  }
  const members = MEMBERS[type];
  if (!members) return undefined;
  const kept = members.flatMap((name) =>
    credentials[name] === undefined || credentials[name] === null ? [] : [[name, credentials[name]]],
  );
  const imported: Credentials = { type, ...Object.fromEntries(kept) };
  return type === 'OAUTH2' && imported['expires_at'] === undefined ? { ...imported, no_expiration: true } : imported;
}
