import { secretPattern } from '../../lib/secret-pattern.ts';

const REDACTED = 'REDACTED';
/** Stays an address, so that schemas that ask for one still fit. */
const REDACTED_EMAIL = 'redacted@example.com';
/** Shorter texts are words that occur everywhere. */
const SHORTEST_SECRET = 6;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
/** Members that hold a secret whoever wrote them. Page tokens and the like are none: replay needs them. */
const SECRET_KEYS =
  /^(?:x-)?(?:proxy-)?(?:authorization|cookie|set-cookie|password|passwd|secret|token|api[-_]?key|apikey|api[-_]?token|access[-_]?key|auth[-_]?token|(?:access|refresh|id|bearer|session|csrf|bot)[-_]?token|client[-_]?secret|private[-_]?key|webhook[-_]?secret|signing[-_]?(?:secret|key)|session(?:[-_]?id)?|signature|credentials?)$/i;

/** Takes what is secret out of a recording. The same secret becomes the same text wherever it stands. */
export class SecretScrubber {
  /** Longest first: one secret may be a part of another. */
  #replacements: Array<{ secret: string; pattern: string | RegExp; by: string }> = [];

  /** Learns the secrets of a connection: every text of its credentials, and every e-mail address anywhere in it. */
  learnConnection(connection: Record<string, unknown>): void {
    for (const text of secretTexts(connection['credentials']))
      this.#learn(text, EMAIL.test(text) ? REDACTED_EMAIL : REDACTED);
    for (const text of textsOf(connection)) if (EMAIL.test(text)) this.#learn(text, REDACTED_EMAIL);
    this.learnMembers(connection);
    this.#learnBasic(connection['credentials']);
  }

  /** Learns the values of members that are secret by their name, at any depth. */
  learnMembers(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.learnMembers(item);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        if (!SECRET_KEYS.test(key)) this.learnMembers(member);
        else
          for (const text of secretTexts(member)) this.#learn(text.replace(/^(?:Bearer|Basic|Token) /i, ''), REDACTED);
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
    if (typeof value === 'string') return SECRET_KEYS.test(key) ? REDACTED : this.scrubText(value);
    if (Array.isArray(value)) return value.map((item) => this.#scrub(item, key));
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
    const members = Object.entries(value).map(([name, member]) => [this.scrubText(name), this.#scrub(member, name)]);
    return Object.fromEntries(members);
  }

  #learn(secret: string, by: string): void {
    if (secret.length < SHORTEST_SECRET || secret === REDACTED || secret === REDACTED_EMAIL) return;
    if (this.#replacements.some((known) => known.secret === secret)) return;
    this.#replacements.push({ secret, pattern: secretPattern(secret), by });
    this.#replacements.sort((a, b) => b.secret.length - a.secret.length);
  }

  #learnBasic(credentials: unknown): void {
    const { username, password } = (credentials ?? {}) as { username?: unknown; password?: unknown };
    if (typeof username !== 'string') return;
    this.#learn(Buffer.from(`${username}:${password ?? ''}`).toString('base64'), REDACTED);
  }
}

/** A function that is run again writes its addresses as it did: encoded where this one was. */
function asSpelled(found: string, by: string): string {
  return found.includes('%') ? encodeURIComponent(by) : by;
}

/** Texts of credentials that are secret: not their kind and not their dates. */
function secretTexts(value: unknown): string[] {
  return textsOf(value, (key) => key !== 'type' && !key.endsWith('_at'));
}

function textsOf(value: unknown, takes: (key: string) => boolean = () => true): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => (takes(key) ? textsOf(member, takes) : []));
}
