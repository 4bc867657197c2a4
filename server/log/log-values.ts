import { REDACTED } from '../platform/lib/secret-replacer.ts';
import { isRedactedKey } from '../platform/lib/secrets.ts';
import type { SecretRedactor } from './secret-redactor.ts';

/** Limits of functions.md 3.9. */
const MAX_MESSAGE_LENGTH = 10_000;
const MAX_VALUE_BYTES = 99_000;
const MAX_DEPTH = 10;
/** A value with more members than this exceeds the size limit anyway, so the rest is not read. */
const MAX_NODES = 50_000;
/** A character takes at most six bytes in JSON, so a smaller estimate needs no measuring. */
const SURELY_SMALL = MAX_VALUE_BYTES / 8;

/** Reserved for `_removed`, which says how many properties were left out. */
const REMARK_BYTES = 100;

const TRUNCATED = '… [truncated]';

/**
 * A message as it is stored: without secrets, at most 10,000 characters. Redacts first, because a cut could leave half
 * a secret.
 */
export function cleanText(text: string, redactor: SecretRedactor): string {
  const redacted = redactor.redact(text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text);
  if (redacted.length <= MAX_MESSAGE_LENGTH) return redacted;
  return redacted.slice(0, MAX_MESSAGE_LENGTH - TRUNCATED.length).toWellFormed() + TRUNCATED;
}

export interface CleanValue {
  value: unknown;
  /** Approximate size in memory, to limit the buffer. */
  sizeBytes: number;
}

/** A copy for JSON without secrets, at most 99,000 bytes: the largest properties are left out of a larger value. */
export function cleanValue(source: unknown, redactor: SecretRedactor): CleanValue {
  const copier = new Copier(redactor);
  const value = copier.copy(source, 0);
  if (copier.size <= SURELY_SMALL) return { value, sizeBytes: copier.size };
  return shrink(value);
}

const byteLength = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

function shrink(value: unknown): CleanValue {
  const wholeBytes = byteLength(value);
  if (wholeBytes <= MAX_VALUE_BYTES) return { value, sizeBytes: wholeBytes };
  if (value === null || typeof value !== 'object') return { value: TRUNCATED, sizeBytes: TRUNCATED.length };
  const members = Object.entries(value)
    .map(([key, member]) => ({ key, member, sizeBytes: byteLength(key) + byteLength(member) + 2 }))
    .sort((a, b) => a.sizeBytes - b.sizeBytes);
  let sizeBytes = REMARK_BYTES;
  const kept: Record<string, unknown> = {};
  let count = 0;
  for (const { key, member, sizeBytes: memberBytes } of members) {
    if (sizeBytes + memberBytes > MAX_VALUE_BYTES) break;
    kept[key] = member;
    count += 1;
    sizeBytes += memberBytes;
  }
  kept._removed = `${members.length - count} of ${members.length} properties were too large`;
  return { value: kept, sizeBytes };
}

class Copier {
  size = 0;
  #nodes = 0;
  readonly #redactor: SecretRedactor;

  constructor(redactor: SecretRedactor) {
    this.#redactor = redactor;
  }

  copy(value: unknown, depth: number): unknown {
    this.#nodes += 1;
    this.size += 8;
    if (this.#nodes > MAX_NODES) return TRUNCATED;
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'bigint':
        return value.toString();
      case 'object':
        return value === null ? null : this.#object(value, depth);
      case 'number':
      case 'boolean':
        return value;
      default:
        return undefined;
    }
  }

  #text(text: string): string {
    const redacted = this.#redactor.redact(text);
    this.size += redacted.length;
    return redacted;
  }

  #name(name: string): string {
    const redacted = this.#redactor.redactName(name);
    this.size += redacted.length;
    return redacted;
  }

  #object(value: object, depth: number): unknown {
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return '[Buffer]';
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    if (depth >= MAX_DEPTH) return Array.isArray(value) ? '[Array]' : '[Object]';
    if (Array.isArray(value)) return this.#items(value, depth);
    if (value instanceof Map) return this.#members(Object.fromEntries(value), depth);
    if (value instanceof Set) return this.copy([...value], depth);
    return this.#members(
      value instanceof Error ? Object.assign({ name: value.name, message: value.message }, value) : value,
      depth,
    );
  }

  #items(items: unknown[], depth: number): unknown[] {
    const copy: unknown[] = [];
    for (const item of items) {
      if (this.#nodes > MAX_NODES) break;
      copy.push(this.copy(item, depth + 1));
    }
    return copy;
  }

  #members(source: object, depth: number): unknown {
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(source)) {
      if (this.#nodes > MAX_NODES) break;
      const member = (source as Record<string, unknown>)[key];
      const isSecret = isRedactedKey(key) && member !== null && member !== undefined && typeof member !== 'boolean';
      const name = this.#name(key);
      const value = isSecret ? REDACTED : this.copy(member, depth + 1);
      if (name === '__proto__') Object.defineProperty(copy, name, { value, enumerable: true });
      else copy[name] = value;
    }
    return copy;
  }
}
