/**
 * One input of a form. The names follow the provider catalogue (providers.md): `automated` fields are neither shown nor
 * sent; `hidden` fields are sent with their default.
 */
export interface DashboardField {
  name: string;
  title: string;
  description?: string | undefined;
  example?: string | undefined;
  pattern?: string | undefined;
  enum?: string[] | undefined;
  defaultValue?: string | undefined;
  prefix?: string | undefined;
  suffix?: string | undefined;
  docUrl?: string | undefined;
  optional?: boolean | undefined;
  hidden?: boolean | undefined;
  automated?: boolean | undefined;
  secret?: boolean | undefined;
  /** Shown with several lines (keys in PEM form). */
  multiline?: boolean | undefined;
}

const CLIENT_ID: DashboardField = { name: 'client_id', title: 'Client ID', optional: true };
const CLIENT_SECRET: DashboardField = { name: 'client_secret', title: 'Client secret', secret: true, optional: true };
const SCOPES: DashboardField = {
  name: 'scopes',
  title: 'Scopes',
  optional: true,
  description: 'Separated by commas.',
  pattern: '^$|^[0-9a-zA-Z:/_.*-]+(,[0-9a-zA-Z:/_.*-]+)*$',
};
const APP_ID: DashboardField = { name: 'app_id', title: 'App ID' };
const APP_LINK: DashboardField = {
  name: 'app_link',
  title: 'App public link',
  example: 'https://github.com/apps/my-app',
};
const PRIVATE_KEY: DashboardField = {
  name: 'private_key',
  title: 'Private key',
  secret: true,
  multiline: true,
  description: 'The whole PEM text, first and last line included.',
  pattern: '^-----BEGIN RSA PRIVATE KEY-----[\\s\\S]+-----END RSA PRIVATE KEY-----\\s*$',
};

/**
 * Fields of an integration by auth mode (ui.md 6.5). A mode that is missing here has none. The fields of the provider's
 * own `integration_config` come first.
 */
export const INTEGRATION_FIELDS: Readonly<Record<string, readonly DashboardField[]>> = {
  OAUTH1: [CLIENT_ID, CLIENT_SECRET, SCOPES],
  OAUTH2: [CLIENT_ID, CLIENT_SECRET, SCOPES],
  TBA: [CLIENT_ID, CLIENT_SECRET],
  APP: [APP_ID, APP_LINK, PRIVATE_KEY],
  CUSTOM: [APP_ID, APP_LINK, CLIENT_ID, CLIENT_SECRET, PRIVATE_KEY],
  INSTALL_PLUGIN: [
    { name: 'app_link', title: 'Install link' },
    { name: 'username', title: 'User name', optional: true },
    { name: 'password', title: 'Password', secret: true, optional: true },
  ],
  MCP_OAUTH2: [CLIENT_ID, CLIENT_SECRET, SCOPES],
  MCP_OAUTH2_GENERIC: [
    {
      name: 'mcp_server_url',
      title: 'Server address',
      optional: true,
      description: 'When it is set, end users connect to this server only. A client ID is for this server.',
      pattern: '^https?://',
    },
    CLIENT_ID,
    CLIENT_SECRET,
    SCOPES,
    { name: 'client_name', title: 'Client name', optional: true },
    { name: 'client_uri', title: 'Client address', optional: true },
    { name: 'client_logo_uri', title: 'Client logo address', optional: true },
  ],
};

/** Modes whose authorization returns to the callback address, so that the form shows it. */
export const CALLBACK_MODES: readonly string[] = [
  'OAUTH1',
  'OAUTH2',
  'TBA',
  'APP',
  'CUSTOM',
  'MCP_OAUTH2',
  'MCP_OAUTH2_GENERIC',
];

/** Fields of `credentials` by auth mode, as `POST /connections` names them; other modes cannot be imported. */
export const CREDENTIAL_FIELDS = {
  OAUTH2: [
    { name: 'access_token', title: 'Access token', secret: true },
    {
      name: 'refresh_token',
      title: 'Refresh token',
      secret: true,
      optional: true,
      description: 'Without it the token cannot be refreshed.',
    },
  ],
  OAUTH1: [
    { name: 'oauth_token', title: 'OAuth token', secret: true },
    { name: 'oauth_token_secret', title: 'OAuth token secret', secret: true },
  ],
  API_KEY: [{ name: 'api_key', title: 'API key', secret: true }],
  BASIC: [
    { name: 'username', title: 'User name', optional: true },
    { name: 'password', title: 'Password', secret: true, optional: true },
  ],
  NONE: [],
  OAUTH2_CC: [
    { name: 'token', title: 'Token', secret: true },
    { name: 'client_id', title: 'Client ID' },
    { name: 'client_secret', title: 'Client secret', secret: true },
  ],
  TBA: [
    { name: 'token_id', title: 'Token id' },
    { name: 'token_secret', title: 'Token secret', secret: true },
  ],
  APP: [
    { name: 'app_id', title: 'App ID' },
    { name: 'installation_id', title: 'Installation id' },
  ],
  CUSTOM: [
    { name: 'app_id', title: 'App ID' },
    { name: 'installation_id', title: 'Installation id' },
  ],
} satisfies Record<string, DashboardField[]>;

export type CredentialMode = keyof typeof CREDENTIAL_FIELDS;

/**
 * The fields of a mode with the provider's words, which may be better ("Personal access token"). The catalogue writes
 * `apiKey` for `api_key`.
 */
export function credentialFieldsOf(mode: CredentialMode, own: readonly DashboardField[]): DashboardField[] {
  const bySame = new Map(
    own.map((field) => [field.name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), field]),
  );
  return CREDENTIAL_FIELDS[mode].map((field: DashboardField) => {
    const better = bySame.get(field.name);
    return better ? { ...field, ...better, name: field.name, secret: better.secret ?? field.secret } : field;
  });
}
