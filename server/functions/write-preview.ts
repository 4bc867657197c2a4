import { isJsonObject } from '../platform/lib/json-object.ts';
import type { UnsentWrite } from './runs/preview-guard.ts';
import { shortened } from './runs/write-notes.ts';

/** What a write would do, as a trial found it. */
export interface WritePreview {
  writes: PreviewedWrite[];
  /** For small places and other programs: which members would change, without what is known about them. */
  summary: string[];
  /** Why there is nothing to show, or not all of it; a sentence. */
  problem: string | null;
}

export interface PreviewedWrite {
  method: string;
  path: string;
  /** Where the present values come from; null when they are not known. */
  known: 'read' | 'record' | null;
  /** `- ` the present value, `+ ` the value as it would be, two spaces: it stays. */
  lines: string[];
}

/** In characters. */
const MAX_VALUE = 300;
const MAX_LINES = 40;
const MAX_LEVELS = 4;

/** Compares a write with what is known about the thing. */
export function previewOf(write: UnsentWrite, record: Record<string, unknown> | undefined): PreviewedWrite {
  const known = isJsonObject(write.known) ? write.known : record;
  const { body, operation } = graphQlOf(write);
  const all = write.method === 'DELETE' && body === undefined ? removed(known) : changed(known, body);
  const more = all.length - MAX_LINES;
  return {
    method: write.method,
    path: operation === undefined ? write.path : `${write.path} ${operation}`,
    known: known === undefined ? null : known === record ? 'record' : 'read',
    lines: more > 0 ? [...all.slice(0, MAX_LINES), `… ${more} more lines`] : all,
  };
}

function changed(known: unknown, body: unknown, name = '', level = 0): string[] {
  if (body === undefined) return [];
  const isDeep = isJsonObject(body) && level < MAX_LEVELS && (level === 0 || isJsonObject(known));
  if (isDeep)
    return Object.entries(body).flatMap(([member, value]) =>
      changed(
        isJsonObject(known) ? known[member] : undefined,
        value,
        name === '' ? member : `${name}.${member}`,
        level + 1,
      ),
    );
  const label = name === '' ? '' : `${name}: `;
  const added = `+ ${label}${shown(body)}`;
  if (known === undefined) return [added];
  return shown(known) === shown(body) ? [`  ${label}${shown(body)}`] : [`- ${label}${shown(known)}`, added];
}

function removed(known: Record<string, unknown> | undefined): string[] {
  return Object.entries(known ?? {}).map(([name, value]) => `- ${name}: ${shown(value)}`);
}

const shown = (value: unknown): string => shortened(JSON.stringify(value) ?? 'null', MAX_VALUE);

/** A mutation names what it does, and its variables are the values. */
function graphQlOf({ body, path }: UnsentWrite): { body: unknown; operation?: string | undefined } {
  const query = isJsonObject(body) ? body['query'] : undefined;
  if (!isJsonObject(body) || typeof query !== 'string' || !/graphql(\.json)?$/i.test(path)) return { body };
  const operation = /\b(?:mutation|subscription)\s+(\w+)/.exec(query)?.[1];
  return { body: body['variables'] ?? {}, operation };
}

export function toPreview(writes: PreviewedWrite[], problem: string | null): WritePreview {
  return { writes, problem, summary: summaryOf(writes, problem) };
}

function summaryOf(writes: readonly PreviewedWrite[], problem: string | null): string[] {
  const shownWrites = writes.slice(0, 5).map(({ lines, method, path }) => {
    const names = [...new Set(lines.filter((line) => /^[-+] /.test(line)).map((line) => line.slice(2).split(':')[0]))];
    return `${method} ${path}${names.length === 0 ? '' : ` (${shortened(names.join(', '), 200)})`}`;
  });
  const more = writes.length - shownWrites.length;
  return [...shownWrites, ...(more > 0 ? [`${more} more requests`] : []), ...(problem === null ? [] : [problem])];
}
