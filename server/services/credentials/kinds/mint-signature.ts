import { createHash } from 'node:crypto';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { Mint } from '../token-context.ts';
import { toIsoTime } from '../token-expiry.ts';

const NONCE_BYTES = 16;

/** SIGNATURE: a WSSE user-name token made here (auth-and-connect.md 2.7). */
export const mintSignature: Mint = async ({ entry, ids, now }, given) => {
  const { username, password } = given;
  if (entry.signature?.protocol !== 'WSSE')
    throw new HomeportError('unsupported_auth', `The provider ${entry.name} names no signature that is known here.`);
  if (typeof username !== 'string' || typeof password !== 'string' || !username || !password)
    throw new HomeportError('invalid_credentials', 'Enter the user name and the password.');
  const nowMs = now();
  const lifetimeMs = entry.token?.expires_in_ms;
  const token = wsseToken(username, password, ids.hex(NONCE_BYTES), toIsoTime(nowMs));
  const expiry = lifetimeMs === undefined ? {} : { expires_at: toIsoTime(nowMs + lifetimeMs) };
  return { credentials: { type: 'SIGNATURE', username, password, token, ...expiry } };
};

/** The digest is the base64 of the hexadecimal text of the hash, not of its bytes. */
function wsseToken(username: string, password: string, nonce: string, created: string): string {
  const hash = createHash('sha1').update(`${nonce}${created}${password}`).digest('hex');
  const digest = Buffer.from(hash).toString('base64');
  return `UsernameToken Username="${username}", PasswordDigest="${digest}", Nonce="${nonce}", Created="${created}"`;
}
