import { secretPattern } from '../lib/secret-pattern.ts';
import { isLongEnough, isRedactedKey, secretsOf } from '../lib/secrets.ts';

const REDACTED = 'REDACTED';
/** Stays an address, so that schemas that ask for one still fit. */
const REDACTED_EMAIL = 'redacted@example.com';
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
/** Of a text that nothing names a secret. */
const SHORTEST_UNNAMED = 8;
/** What a recording is cleaned of besides: names that are harmless in a log. */
const SESSION_KEYS = /^(?:x-)?(?:session(?:[-_]?id)?|csrf[-_]?token|access[-_]?key|signature|credential)$/i;
const isSecretKey = (key: string): boolean => isRedactedKey(key) || SESSION_KEYS.test(key);

/** Takes what is secret out of a recording. The same secret becomes the same text wherever it stands. */
export class SecretScrubber {
  /** Longest first: one secret may be a part of another. */
  #replacements: Array<{ secret: string; pattern: string | RegExp; by: string }> = [];

  /** Learns the secrets of a connection: every text of its credentials, and every e-mail address anywhere in it. */
  learnConnection(connection: Record<string, unknown>): void {
    for (const text of secretsOf(connection['credentials']))
      this.#learn(text, EMAIL.test(text) ? REDACTED_EMAIL : REDACTED);
    for (const text of textsOf(connection)) if (EMAIL.test(text)) this.#learn(text, REDACTED_EMAIL);
    this.learnMembers(connection);
  }

  /** Learns values of which some are secret; short ones are ordinary words. */
  learnTexts(values: readonly string[]): void {
    for (const value of values) if (value.length >= SHORTEST_UNNAMED) this.#learn(value, REDACTED);
  }

  /** Learns the values of members that are secret by their name, at any depth. */
  learnMembers(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.learnMembers(item);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        if (!isSecretKey(key)) this.learnMembers(member);
        else for (const text of secretsOf(member)) this.#learn(text.replace(/^(?:Bearer|Basic|Token) /i, ''), REDACTED);
      }
    }
  }

  /** A copy without secrets. */
  scrub<T>(value: T): T {
    return this.#scrub(value) as T;
  }

  scrubText(text: string): string {
    return this.#replacements.reduce(
      (kept, { pattern, by }) => kept.replaceAll(pattern, (found) => asSpelled(found, by)),
      text,
    );
  }

  #scrub(value: unknown, key = ''): unknown {
    if (typeof value === 'string') return isSecretKey(key) ? REDACTED : this.scrubText(value);
    if (Array.isArray(value)) return value.map((item) => this.#scrub(item, key));
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
    const members = Object.entries(value).map(([name, member]) => [this.scrubText(name), this.#scrub(member, name)]);
    return Object.fromEntries(members);
  }

  #learn(secret: string, by: string): void {
    if (!isLongEnough(secret) || secret === REDACTED || secret === REDACTED_EMAIL) return;
    if (this.#replacements.some((known) => known.secret === secret)) return;
    this.#replacements.push({ secret, pattern: secretPattern(secret), by });
    this.#replacements.sort((a, b) => b.secret.length - a.secret.length);
  }
}

/** A function that is run again writes its addresses as it did: encoded where this one was. */
function asSpelled(found: string, by: string): string {
  return found.includes('%') ? encodeURIComponent(by) : by;
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}
