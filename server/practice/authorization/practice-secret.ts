import { createHash, timingSafeEqual } from 'node:crypto';
import type { Ids } from '../../platform/lib/ids.ts';

const SECRET_BYTES = 32;

/**
 * Prefix that identifies the kind of a token in a log or a leak; 32 random bytes follow. API keys start with
 * `practice-`, so the underscore distinguishes the two.
 */
export type SecretKind = 'practice_code' | 'practice_at' | 'practice_rt' | 'practice_ticket' | 'practice_o1';

export function newSecret(ids: Ids, kind: SecretKind): string {
  return `${kind}_${ids.hex(SECRET_BYTES)}`;
}

/** Secrets are looked up by their hash, so that the duration of a look-up reveals nothing about the secret. */
export function secretFingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Compares in constant time, also texts of different lengths. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}
