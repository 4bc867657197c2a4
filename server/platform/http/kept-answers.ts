import { createHash } from 'node:crypto';
import type { JsonReply } from './route.ts';

/** Different questions of which the answers are kept. */
const MAX_KEPT = 8;

interface Kept {
  parts: readonly unknown[];
  reply: JsonReply;
}

/**
 * Large answers are made once and kept as bytes, with their ETag: making one takes tens of milliseconds in which nobody
 * else is served.
 */
export class KeptAnswers {
  readonly #kept = new Map<string, Kept>();

  /** The answer to a question; it is made again when one of the objects that it shows is another one. */
  take(question: string, parts: readonly unknown[], make: () => unknown): JsonReply {
    const known = this.#kept.get(question);
    if (known && known.parts.length === parts.length && known.parts.every((part, at) => part === parts[at]))
      return known.reply;
    const bytes = Buffer.from(JSON.stringify(make()));
    const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
    const reply: JsonReply = { status: 200, bytes, headers: { ETag: etag } };
    this.#kept.delete(question);
    this.#kept.set(question, { parts, reply });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return reply;
  }
}

/** Whether the caller has the answer already (RFC 9110 13.1.2). */
export function hasAnswer(ifNoneMatch: string | undefined, etag: unknown): boolean {
  if (ifNoneMatch === undefined || typeof etag !== 'string') return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
