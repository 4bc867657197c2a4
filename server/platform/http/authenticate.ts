import type { ConnectSession } from '../../authorization/connect-session.ts';
import type { Caller } from '../../environments/environment.service.ts';
import { HomeportError } from '../lib/homeport-error.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Every token with this prefix is a connect-session token, never a key (http-api.md 1.2). */
const SESSION_PREFIX = 'nango_connect_session_';
const SESSION_TOKEN = /^nango_connect_session_[0-9a-f]{64}$/;

/** Returns the text after the last `Bearer `. A header without it is the token itself (http-api.md 1.2). */
function readBearer(header: string | undefined): string {
  if (!header) throw refusedKey('missing_auth_header', 'Send the secret key as "Authorization: Bearer <key>".');
  const at = header.lastIndexOf('Bearer ');
  const token = at === -1 ? header : header.slice(at + 'Bearer '.length);
  if (token === '') throw refusedKey('malformed_auth_header', 'The Authorization header holds no key.');
  return token;
}

export function authenticateKey(
  header: string | undefined,
  find: (secretKey: string) => MaybePromise<Caller | undefined>,
): MaybePromise<Caller> {
  const token = readBearer(header);
  if (!UUID_V4.test(token))
    throw refusedKey(
      'invalid_secret_key_format',
      'The secret key is not a UUID v4. Copy it from the environment settings.',
    );
  return andThen(find(token), (caller) => {
    if (caller) return caller;
    throw refusedKey('unknown_account', 'The secret key is not known. Copy it from the environment settings.');
  });
}

export function holdsSessionToken(header: string | undefined): boolean {
  return header !== undefined && readBearer(header).startsWith(SESSION_PREFIX);
}

export async function authenticateSession(
  header: string | undefined,
  find: (token: string) => Promise<ConnectSession | undefined>,
): Promise<ConnectSession> {
  return findSession(readBearer(header), find);
}

/** Resolves to the session of a token that the caller read from a header, a query or a body. Throws when there is none. */
export async function findSession(
  token: string,
  find: (token: string) => Promise<ConnectSession | undefined>,
): Promise<ConnectSession> {
  if (!SESSION_TOKEN.test(token))
    throw refusedKey('invalid_connect_session_token_format', 'Send the token of a connect session.');
  const session = await find(token);
  if (!session) throw refusedKey('unknown_connect_session_token', 'The connect session is over. Ask for a new one.');
  return session;
}

export function refusedKey(code: AuthCode, message: string): HomeportError {
  return new HomeportError(code, message, { payload: {} });
}

type AuthCode =
  | 'missing_auth_header'
  | 'malformed_auth_header'
  | 'invalid_secret_key_format'
  | 'unknown_account'
  | 'invalid_connect_session_token_format'
  | 'unknown_connect_session_token'
  | 'missing_public_key'
  | 'deprecated_authentication';
