import { randomBytes, randomUUID } from 'node:crypto';

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
