import { createHash } from 'node:crypto';

/** Part of the format: it keeps the hash apart from those that others make of the same address. */
const HASH_CONTEXT = 'nango.emailAddressHash.v1:';

/** Lower-case hex SHA-256 of an email address, to find it by without storing it (auth-and-connect.md 3.11). */
export function hashAddress(address: string): string {
  return createHash('sha256').update(`${HASH_CONTEXT}${address.trim().toLowerCase()}`).digest('hex');
}
