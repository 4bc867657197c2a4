import type { Mint } from '../token-context.ts';
import { toIsoTime } from '../token-expiry.ts';
import { signTemplateToken } from './sign-jwt.ts';

/** JWT: a token signed here with the key that was entered (auth-and-connect.md 2.6). */
export const mintJwt: Mint = async (context, given) => {
  const { token, expiresAt } = await signTemplateToken(context, splitKey(given), 'invalid_credentials');
  return { credentials: { ...given, type: 'JWT', token, expires_at: toIsoTime(expiresAt) } };
};

/** A key issued as `id:secret` is read by its halves. */
function splitKey(given: Record<string, unknown>): Record<string, unknown> {
  const { privateKey } = given;
  const [, id, secret] = typeof privateKey === 'string' ? (/^\s*([\w-]+):([\w-]+)\s*$/.exec(privateKey) ?? []) : [];
  return id === undefined ? given : { ...given, privateKey: { id, secret } };
}
