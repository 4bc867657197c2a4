import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { McpCallKey } from './mcp-decisions.store.ts';

type Call = Pick<McpCallKey, 'apiKeyId' | 'connectionRowId' | 'fingerprint' | 'sessionId' | 'tool'>;

interface History {
  /** Calls by what they do, the latest last. */
  calls: string[];
  /** Those about which a person does not want to be asked again in this session. */
  quiet: Set<string>;
}

/** The longest turn of different calls that is noticed. */
const MAX_PERIOD = 3;
const MAX_CLIENTS = 1000;
const MAX_QUIET = 1000;

/** Notices agents that make the same calls again and again. */
export class RepeatedCalls {
  readonly #clients = new LRUCache<string, History>({ max: MAX_CLIENTS });

  /** Notes a call. Returns what is repeated, in a sentence; undefined for a call that is not, or that may be. */
  note(call: Call, given: Record<string, unknown>, most: number | null): string | undefined {
    if (most === null) return undefined;
    const { calls, quiet } = this.#historyOf(call);
    const made = signatureOf(call, given);
    calls.push(made);
    calls.splice(0, calls.length - most * MAX_PERIOD);
    if (quiet.has(made)) return undefined;
    const period = [1, 2, 3].find((length) => isRow(calls, length, most));
    if (period === undefined) return undefined;
    return period === 1
      ? `The same call came ${most} times in a row.`
      : `The same ${period} calls came ${most} times in turn.`;
  }

  /** A person does not want to be asked again about this call. */
  allow(call: Call, given: Record<string, unknown>): void {
    const { quiet } = this.#historyOf(call);
    if (quiet.size < MAX_QUIET) quiet.add(signatureOf(call, given));
  }

  endSession(sessionId: string): void {
    this.#clients.delete(`session ${sessionId}`);
  }

  #historyOf({ apiKeyId, sessionId }: Call): History {
    const client = sessionId === null ? `key ${apiKeyId}` : `session ${sessionId}`;
    const known = this.#clients.get(client) ?? { calls: [], quiet: new Set() };
    this.#clients.set(client, known);
    return known;
  }
}

function isRow(calls: readonly string[], period: number, times: number): boolean {
  const last = calls.slice(-period * times);
  return last.length === period * times && last.every((one, index) => index < period || one === last[index - period]);
}

/** Another version of a tool is another tool. */
function signatureOf({ connectionRowId, fingerprint, tool }: Call, given: Record<string, unknown>): string {
  const text = JSON.stringify([connectionRowId, tool, fingerprint, canonical(given)]);
  return createHash('sha256').update(text).digest('base64url');
}

/** Numbers that keep their digits, written as text. */
const NUMBER = /^[+-]?\d{1,15}(?:\.\d{1,15})?(?:e[+-]?\d{1,2})?$/i;

/** Arguments without what makes no difference: the order of members, white space, and how a number is written. */
function canonical(value: unknown): unknown {
  if (typeof value === 'string') {
    const text = value.trim().replace(/\s+/g, ' ');
    return NUMBER.test(text) ? Number(text) : text;
  }
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, canonical(member)]);
}
