import { createHash, randomBytes, randomUUID } from 'node:crypto';

/** Source of identifiers and randomness, passed in so that tests can fix it. */
export interface Ids {
  /** A UUID v4. */
  uuid(): string;
  /** `count` random bytes as lower-case hex (2 × `count` characters). */
  hex(count: number): string;
}

export const randomIds: Ids = {
  uuid: () => randomUUID(),
  hex: (count) => randomBytes(count).toString('hex'),
};

/** A UUID v5 (RFC 9562, 5.5): always the same one for a name within a namespace. */
export function uuidOf(namespace: string, name: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
