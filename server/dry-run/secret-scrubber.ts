import { secretPattern } from '../lib/secret-pattern.ts';
import { isLongEnough, isRedactedKey, secretsOf } from '../lib/secrets.ts';

const REDACTED = 'REDACTED';
/** Still a valid address, for schemas that require one. */
const REDACTED_EMAIL = 'redacted@example.com';
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
/** Shortest text that counts as a secret when no name says that it is secret. */
const MIN_UNNAMED_LENGTH = 8;
/** Further names of secrets, which logs do not redact. */
const SESSION_KEYS = /^(?:x-)?(?:session(?:[-_]?id)?|csrf[-_]?token|access[-_]?key|signature|credential)$/i;
const isSecretKey = (key: string): boolean => isRedactedKey(key) || SESSION_KEYS.test(key);

/** Removes secrets from a recording. The same secret is always replaced by the same text. */
export class SecretScrubber {
  /** Longest first, because one secret may be a part of another. */
  #replacements: Array<{ secret: string; pattern: string | RegExp; by: string }> = [];

  /** Adds the secrets of a connection: every text of its credentials, and every e-mail address anywhere in it. */
  learnConnection(connection: Record<string, unknown>): void {
    for (const text of secretsOf(connection['credentials']))
      this.#learn(text, EMAIL.test(text) ? REDACTED_EMAIL : REDACTED);
    for (const text of textsOf(connection)) if (EMAIL.test(text)) this.#learn(text, REDACTED_EMAIL);
    this.learnMembers(connection);
  }

  /** Adds values that may be secret. Short ones are ordinary words and are ignored. */
  learnTexts(values: readonly string[]): void {
    for (const value of values) if (value.length >= MIN_UNNAMED_LENGTH) this.#learn(value, REDACTED);
  }

  /** Adds the values of members with secret names, at any depth. */
  learnMembers(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.learnMembers(item);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        if (!isSecretKey(key)) this.learnMembers(member);
        else for (const text of secretsOf(member)) this.#learn(text.replace(/^(?:Bearer|Basic|Token) /i, ''), REDACTED);
      }
    }
  }

  /** Returns a copy without secrets. */
  scrub<T>(value: T): T {
    return this.#scrub(value) as T;
  }

  scrubText(text: string): string {
    return this.#replacements.reduce(
      (kept, { pattern, by }) => kept.replaceAll(pattern, (found) => encodedLike(found, by)),
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

/** The replacement, encoded where the secret was: a repeated run sends addresses in the same form. */
function encodedLike(found: string, by: string): string {
  return found.includes('%') ? encodeURIComponent(by) : by;
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}
