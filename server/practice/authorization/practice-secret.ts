import { createHash, timingSafeEqual } from 'node:crypto';
import type { Ids } from '../../lib/ids.ts';

const SECRET_BYTES = 32;

/**
 * What a token looks like in a log or a leak: its kind, then 32 random bytes. API keys start with `practice-`, so that
 * the underscore keeps the two apart.
 */
export type SecretKind = 'practice_code' | 'practice_at' | 'practice_rt' | 'practice_ticket' | 'practice_o1';

export function newSecret(ids: Ids, kind: SecretKind): string {
  return `${kind}_${ids.hex(SECRET_BYTES)}`;
}

/** Secrets are looked up by their hash: how long a look-up takes then says nothing about the secret. */
export function secretFingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Compares in constant time, texts of different length too. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}
