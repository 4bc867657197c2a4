import { setImmediate } from 'node:timers/promises';
import {
  type Document,
  isAlias,
  isNode,
  isPair,
  isScalar,
  isMap as isYamlMap,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml';
import type { CatalogProblem } from './catalog-problem.ts';
import type { RawEntry } from './merge-entries.ts';
import type { ParsedCopies, ParsedCopy } from './parsed-copies.ts';
import { type EntryText, splitEntries } from './split-entries.ts';

export interface CatalogFile {
  path: string;
  text: string;
}

export interface ReadEntry {
  name: string;
  raw: RawEntry;
  file: string;
  /** Line of a key path inside the entry, or of the nearest existing ancestor. */
  lineOf: (path: (string | number)[]) => number;
  /** Copy that can be cached for the next start. */
  copy?: ParsedCopy;
}

const MAX_FILE_BYTES = 16 * 1_048_576;
const KEY_PATTERN = /^[a-z0-9-]{1,255}$/;
/** Longest time in milliseconds for which a large file may block the event loop. */
const MAX_TURN_MS = 10;

export interface FileEntries {
  entries: ReadEntry[];
  problems: CatalogProblem[];
}

/**
 * Reads one file of entries. Invalid YAML makes its own entry fail, or the whole file if the entries cannot be
 * separated. Uses cached copies and adds new ones.
 */
export async function readEntries(file: CatalogFile, copies?: ParsedCopies): Promise<FileEntries> {
  if (Buffer.byteLength(file.text) > MAX_FILE_BYTES)
    return { entries: [], problems: [problemOf(file.path, 0, '', 'the file is larger than 16 MB')] };
  const parts = splitEntries(file.text);
  if (!parts) return readText(file);
  const entries = new Map<string, ReadEntry>();
  const problems: CatalogProblem[] = [];
  let turnEndsAt = performance.now() + MAX_TURN_MS;
  for (const part of parts) {
    const copy = copies?.find(part.text);
    const read = copy ? { entries: [fromCopy(file.path, part, copy)], problems: [] } : readPart(file.path, part);
    problems.push(...read.problems);
    for (const entry of read.entries) {
      if (entries.has(entry.name)) {
        problems.push(
          problemOf(file.path, part.line, entry.name, 'is written twice in this file; the first one is used'),
        );
        continue;
      }
      const isWhole = !copy && read.problems.length === 0;
      entries.set(
        entry.name,
        isWhole && copies ? { ...entry, copy: copies.add(part.text, entry.name, entry.raw) } : entry,
      );
    }
    if (performance.now() < turnEndsAt) continue;
    await setImmediate();
    turnEndsAt = performance.now() + MAX_TURN_MS;
  }
  return { entries: [...entries.values()], problems };
}

function fromCopy(file: string, part: EntryText, copy: ParsedCopy): ReadEntry {
  const { name, raw, lines } = copy;
  // Parsed only when a line is needed, which means that a checked entry has a new problem.
  const lineOf = (path: (string | number)[]): number => {
    const known = path.length === 0 ? 0 : lines[path.join('.')];
    return known === undefined ? (readPart(file, part).entries[0]?.lineOf(path) ?? part.line) : part.line + known;
  };
  return { name, raw, file, lineOf, copy };
}

/** Reads one entry, with line numbers of the whole file. A syntax error names the entry. */
function readPart(file: string, { name, text, line }: EntryText): FileEntries {
  const { entries, problems } = readText({ path: file, text });
  return {
    entries: entries.map((entry) => ({ ...entry, lineOf: (path) => line - 1 + entry.lineOf(path) })),
    problems: problems.map((problem) => ({
      ...problem,
      line: line - 1 + problem.line,
      provider: problem.provider === '' ? name : problem.provider,
    })),
  };
}

function problemOf(file: string, line: number, provider: string, reason: string): CatalogProblem {
  return { file, line, provider, keyPath: '', reason };
}

function readText(file: CatalogFile): FileEntries {
  const lines = new LineCounter();
  const document = parseDocument(file.text, {
    lineCounter: lines,
    schema: 'core',
    uniqueKeys: true,
    logLevel: 'error',
  });
  const problem = (line: number, provider: string, reason: string) => problemOf(file.path, line, provider, reason);
  // Most further errors only follow from the first one.
  const [error] = document.errors;
  if (error) return { entries: [], problems: [problem(error.linePos?.[0].line ?? 0, '', firstLine(error.message))] };
  if (document.contents === null) return { entries: [], problems: [] };
  if (!isYamlMap(document.contents))
    return { entries: [], problems: [problem(1, '', 'the file must map provider keys to entries')] };
  const forbidden = findForbidden(document);
  if (forbidden)
    return { entries: [], problems: [problem(lines.linePos(forbidden.offset).line, '', forbidden.reason)] };
  return collect(document, file.path, lines, problem);
}

function collect(
  document: Document,
  file: string,
  lines: LineCounter,
  problem: (line: number, provider: string, reason: string) => CatalogProblem,
): FileEntries {
  const entries: ReadEntry[] = [];
  const problems: CatalogProblem[] = [];
  for (const [name, raw] of Object.entries(document.toJS() as Record<string, unknown>)) {
    const lineOf = (path: (string | number)[]): number => findLine(document, [name, ...path], lines);
    if (!KEY_PATTERN.test(name)) problems.push(problem(lineOf([]), name, wrongKey(name)));
    else if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
      problems.push(problem(lineOf([]), name, 'is not a map'));
    else entries.push({ name, raw: raw as RawEntry, file, lineOf });
  }
  return { entries, problems };
}

function wrongKey(name: string): string {
  const meant = name
    .toLowerCase()
    .replace(/[\s_.]+/g, '-')
    .replace(/[^a-z0-9-]/g, '');
  const hint = KEY_PATTERN.test(meant) ? `; did you mean ${meant}?` : '';
  return `a provider key holds only a-z, 0-9 and -, at most 255 of them${hint}`;
}

/** Tags could create unexpected values, and anchors hide what an entry says. Neither is needed. */
function findForbidden(document: Document): { offset: number; reason: string } | undefined {
  let found: { offset: number; reason: string } | undefined;
  visit(document, {
    Node: (_key, node) => {
      const isAnchor = isAlias(node) || ('anchor' in node && node.anchor !== undefined);
      const hasTag = 'tag' in node && typeof node.tag === 'string' && !node.tag.startsWith('tag:yaml.org,2002:');
      if (!isAnchor && !hasTag) return undefined;
      found = {
        offset: node.range?.[0] ?? 0,
        reason: isAnchor ? 'anchors and aliases of YAML are not allowed' : 'YAML tags are not allowed',
      };
      return visit.BREAK;
    },
  });
  return found;
}

/** The line of the key at `path`. For a key that is not written, the line of its parent. */
function findLine(document: Document, path: (string | number)[], lines: LineCounter): number {
  for (let length = path.length; length > 0; length--) {
    const parent: unknown = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const last = path[length - 1];
    const pair = isYamlMap(parent)
      ? parent.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === last)
      : undefined;
    const node: unknown =
      pair?.key ?? (typeof last === 'number' ? document.getIn(path.slice(0, length), true) : undefined);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 0;
}

/** Without the position: the problem already has its line, and the position in the message counts within one entry. */
function firstLine(message: string): string {
  return (message.split('\n')[0] ?? message).replace(/ at line \d+, column \d+:?$/, '');
}
