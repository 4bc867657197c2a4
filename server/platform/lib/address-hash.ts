import { createHash } from 'node:crypto';

/** Part of the format: the hash differs from a plain hash of the same address. */
const HASH_CONTEXT = 'nango.emailAddressHash.v1:';

/**
 * Lower-case hex SHA-256 of an email address. Connections are found by it, so that the address need not be stored
 * (auth-and-connect.md 3.11).
 */
export function hashAddress(address: string): string {
  return createHash('sha256').update(`${HASH_CONTEXT}${address.trim().toLowerCase()}`).digest('hex');
}
