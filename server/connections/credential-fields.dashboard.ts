import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { StoredCredentials } from './credentials/stored-credentials.ts';
import type { CredentialField } from './dashboard-connections.contract.ts';

/** Members that are not secret. Every other member is treated as secret. */
const READABLE: readonly string[] = [
  'username',
  'client_id',
  'app_id',
  'installation_id',
  'role_arn',
  'expires_at',
  'token_id',
];
/** Left out here: another field shows the auth mode. */
const LEFT_OUT: readonly string[] = ['type'];

const TITLES: Record<string, string> = {
  access_token: 'Access token',
  refresh_token: 'Refresh token',
  expires_at: 'Expires at',
  oauth_token: 'OAuth token',
  oauth_token_secret: 'OAuth token secret',
  apiKey: 'API key',
  username: 'User name',
  password: 'Password',
  token: 'Token',
  token_id: 'Token id',
  token_secret: 'Token secret',
  client_id: 'Client ID',
  client_secret: 'Client secret',
  raw: 'Raw token response',
  'config_override.client_id': 'Own client ID',
  'config_override.client_secret': 'Own client secret',
};

/** The stored document as fields. Secret values are left out; only the reveal call returns them. */
export function viewCredentials(credentials: StoredCredentials, entry: ProviderEntry | undefined): CredentialField[] {
  return listMembers(credentials).map(([name, value]) => {
    const isSecret = isSecretMember(name, entry);
    return { name, title: titleOf(name, entry), isSecret, value: isSecret ? null : value };
  });
}

/** The value of one member as text; undefined when it does not exist. */
export function revealCredential(credentials: StoredCredentials, field: string): string | undefined {
  return listMembers(credentials).find(([name]) => name === field)?.[1];
}

/** Members one level deep: `config_override.client_id`. An object that is free JSON stays one member. */
function listMembers(credentials: StoredCredentials): Array<[name: string, value: string]> {
  return Object.entries(credentials).flatMap(([name, value]): Array<[string, string]> => {
    if (LEFT_OUT.includes(name) || value === undefined || value === null) return [];
    if (name === 'config_override' && typeof value === 'object') {
      return Object.entries(value).map(([inner, text]) => [`${name}.${inner}`, String(text)]);
    }
    return [[name, typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)]];
  });
}

function isSecretMember(name: string, entry: ProviderEntry | undefined): boolean {
  const declared = entry?.credentials?.[name]?.secret;
  return declared ?? !READABLE.includes(name.replace(/^config_override\./, ''));
}

function titleOf(name: string, entry: ProviderEntry | undefined): string {
  const words = name
    .replace(/[._]/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return entry?.credentials?.[name]?.title ?? TITLES[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
