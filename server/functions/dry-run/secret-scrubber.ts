import { REDACTED, SecretReplacer } from '../../platform/lib/secret-replacer.ts';
import { isRedactedKey, secretsOf } from '../../platform/lib/secrets.ts';

/** Still a valid address, for schemas that require one. */
const REDACTED_EMAIL = 'redacted@example.com';
/** Without a point in the part before the last one, so that there is one way to read an address. */
const EMAIL = /^[^\s@]+@(?:[^\s@.]+\.)+[^\s@.]+$/;
/** Shortest text that counts as a secret when no name says that it is secret. */
const MIN_UNNAMED_LENGTH = 8;
/** Further names of secrets, which logs do not redact. */
const SESSION_KEYS = /^(?:x-)?(?:session(?:[-_]?id)?|csrf[-_]?token|access[-_]?key|signature|credential)$/i;
const isSecretKey = (key: string): boolean => isRedactedKey(key) || SESSION_KEYS.test(key);

/** Removes secrets from a recording. The same secret is always replaced by the same text. */
export class SecretScrubber {
  readonly #replacer = new SecretReplacer([], replacementOf);

  /** Adds the secrets of a connection: every text of its credentials, and every e-mail address anywhere in it. */
  learnConnection(connection: Record<string, unknown>): void {
    for (const text of secretsOf(connection['credentials'])) this.#learn(text);
    for (const text of textsOf(connection)) if (EMAIL.test(text)) this.#learn(text);
    this.learnMembers(connection);
  }

  /** Adds values that may be secret. Short ones are ordinary words and are ignored. */
  learnTexts(values: readonly string[]): void {
    for (const value of values) if (value.length >= MIN_UNNAMED_LENGTH) this.#learn(value);
  }

  /** Adds the values of members with secret names, at any depth. */
  learnMembers(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.learnMembers(item);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        if (!isSecretKey(key)) this.learnMembers(member);
        else for (const text of secretsOf(member)) this.#learn(text.replace(/^(?:Bearer|Basic|Token) /i, ''));
      }
    }
  }

  /** Returns a copy without secrets. */
  scrub<T>(value: T): T {
    return this.#scrub(value) as T;
  }

  scrubText(text: string): string {
    return this.#replacer.replace(text);
  }

  #scrub(value: unknown, key = ''): unknown {
    if (typeof value === 'string') return isSecretKey(key) ? REDACTED : this.scrubText(value);
    if (Array.isArray(value)) return value.map((item) => this.#scrub(item, key));
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
    const members = Object.entries(value).map(([name, member]) => [this.scrubText(name), this.#scrub(member, name)]);
    return Object.fromEntries(members);
  }

  #learn(secret: string): void {
    if (secret !== REDACTED && secret !== REDACTED_EMAIL) this.#replacer.add([secret]);
  }
}

/** The replacement, encoded where the secret was: a repeated run sends addresses in the same form. */
function replacementOf(found: string): string {
  const by = EMAIL.test(found.replaceAll(/%40/g, '@')) ? REDACTED_EMAIL : REDACTED;
  return found.includes('%') ? encodeURIComponent(by) : by;
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}
