import { createHash } from 'node:crypto';
import type { JsonReply } from './route.ts';

/** Different requests of which the responses are kept. */
const MAX_KEPT = 8;

/**
 * Large responses are made once and kept as bytes, with their ETag: making one takes tens of milliseconds in which
 * nobody else is served.
 */
export function createKeptResponses() {
  const kept = new Map<string, { parts: readonly unknown[]; reply: JsonReply }>();

  /** The response to a request; it is made again when one of the objects that it shows is another one. */
  return (request: string, parts: readonly unknown[], make: () => unknown): JsonReply => {
    const known = kept.get(request);
    if (known && known.parts.length === parts.length && known.parts.every((part, at) => part === parts[at]))
      return known.reply;
    const bytes = Buffer.from(JSON.stringify(make()));
    const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
    const reply: JsonReply = { status: 200, bytes, headers: { ETag: etag } };
    kept.delete(request);
    kept.set(request, { parts, reply });
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return reply;
  };
}
