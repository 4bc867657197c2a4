import { HomeportError } from '../../lib/homeport-error.ts';
import type { Caller } from '../../services/environment/environment-service.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** What follows the last `Bearer `; a header without it is the token itself (http-api.md 1.2). */
export function readBearer(header: string | undefined): string {
  if (!header) throw refused('missing_auth_header', 'Send the secret key as "Authorization: Bearer <key>".');
  const at = header.lastIndexOf('Bearer ');
  const token = at === -1 ? header : header.slice(at + 'Bearer '.length);
  if (token === '') throw refused('malformed_auth_header', 'The Authorization header holds no key.');
  return token;
}

export async function authenticateKey(
  header: string | undefined,
  find: (secretKey: string) => Promise<Caller | undefined>,
): Promise<Caller> {
  const token = readBearer(header);
  if (!UUID_V4.test(token)) throw refused('invalid_secret_key_format', 'The secret key is not a UUID v4. Copy it from the environment settings.');
  const caller = await find(token);
  if (!caller) throw refused('unknown_account', 'The secret key is not known. Copy it from the environment settings.');
  return caller;
}

function refused(code: 'missing_auth_header' | 'malformed_auth_header' | 'invalid_secret_key_format' | 'unknown_account', message: string): HomeportError {
  return new HomeportError(code, message, { payload: {} });
}
