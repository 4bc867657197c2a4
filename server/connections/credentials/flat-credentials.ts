import type { ErrorCode } from '../../contract/error-codes.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import type { FlatImportBody, ImportCredentials } from '../connections.contract.ts';

/** The credentials that a flat import writes at the root of its body (http-api.md 5), by the provider's auth mode. */
export function readFlatCredentials(authMode: string, body: FlatImportBody): ImportCredentials {
  switch (authMode) {
    case 'OAUTH2':
      return readOauth2(body);
    case 'OAUTH2_CC':
      return {
        type: authMode,
        token: need(body, 'access_token', 'missing_access_token'),
        client_id: textOf(body['oauth_client_id_override']) ?? '',
        client_secret: textOf(body['oauth_client_secret_override']) ?? '',
      };
    case 'OAUTH1':
      return {
        type: authMode,
        oauth_token: need(body, 'oauth_token', 'missing_oauth_token'),
        oauth_token_secret: need(body, 'oauth_token_secret', 'missing_oauth_token_secret'),
      };
    case 'BASIC':
      return {
        type: authMode,
        username: need(body, 'username', 'missing_basic_username'),
        password: textOf(body['password']) ?? '',
      };
    case 'API_KEY':
      return { type: authMode, apiKey: need(body, 'api_key', 'missing_api_key') };
    case 'APP':
      return {
        type: authMode,
        app_id: need(body, 'app_id', 'missing_app_id'),
        installation_id: need(body, 'installation_id', 'missing_installation_id'),
      };
    case 'TBA':
      return readTba(body);
    case 'NONE':
      return { type: authMode };
    default:
      throw refused('unknown_oauth_type', `Connections of type ${authMode} cannot be imported here.`);
  }
}

function readOauth2(body: FlatImportBody): ImportCredentials {
  const { raw } = body;
  return {
    type: 'OAUTH2',
    access_token: need(body, 'access_token', 'missing_access_token'),
    ...pick('refresh_token', body['refresh_token']),
    ...readExpiry(body),
    ...pick('oauth_client_id_override', body['oauth_client_id_override']),
    ...pick('oauth_client_secret_override', body['oauth_client_secret_override']),
    ...(isJsonObject(raw) ? { raw } : {}),
  };
}

function readTba(body: FlatImportBody): ImportCredentials {
  if (!textOf(body.connection_config?.['accountId'])) {
    throw refused('missing_account_id', 'TBA credentials need connection_config.accountId.');
  }
  return {
    type: 'TBA',
    token_id: need(body, 'token_id', 'invalid_body'),
    token_secret: need(body, 'token_secret', 'invalid_body'),
    config_override: {
      ...pick('client_id', body['oauth_client_id_override']),
      ...pick('client_secret', body['oauth_client_secret_override']),
    },
  };
}

/** `expires_at` is used before `expires_in`. The used one must be valid, even beside `no_expiration`. */
function readExpiry(body: FlatImportBody): { expires_at?: string; expires_in?: number; no_expiration?: boolean } {
  const { expires_at: at, expires_in: seconds, no_expiration: isEndless } = body;
  if (at !== undefined && at !== null && at !== '') return { expires_at: readDate(at) };
  if (seconds !== undefined && seconds !== null && seconds !== '') return { expires_in: readSeconds(seconds) };
  if (isEndless === true) return { no_expiration: true };
  throw refused(
    'missing_expires_at',
    'Give expires_at or expires_in. For a token that never expires send "no_expiration": true.',
  );
}

function readDate(value: unknown): string {
  const date = new Date(typeof value === 'string' || typeof value === 'number' ? value : Number.NaN);
  if (Number.isNaN(date.getTime())) throw refused('invalid_expires_at', 'expires_at is not a date.');
  return date.toISOString();
}

/** About three thousand years, so that the resulting date is a valid date. */
const MAX_SECONDS = 100_000_000_000;

function readSeconds(value: unknown): number {
  const seconds = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  if (!(seconds >= 0 && seconds <= MAX_SECONDS))
    throw refused('invalid_expires_at', 'expires_in is not a number of seconds.');
  return seconds;
}

function need(body: FlatImportBody, name: string, code: ErrorCode): string {
  const text = textOf(body[name]);
  if (!text) throw refused(code, `The body needs ${name}.`);
  return text;
}

function pick<K extends string>(name: K, value: unknown): { [P in K]?: string } {
  const text = textOf(value);
  return (text ? { [name]: text } : {}) as { [P in K]?: string };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Errors of legacy routes always have a payload (http-api.md 1.4). */
function refused(code: ErrorCode, message: string): HomeportError {
  return new HomeportError(code, message, { payload: {} });
}
