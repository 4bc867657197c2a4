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

export interface CatalogFile {
  path: string;
  text: string;
}

export interface ReadEntry {
  name: string;
  raw: RawEntry;
  file: string;
  /** Line of a key path inside the entry, or of the nearest ancestor that exists. */
  lineOf: (path: (string | number)[]) => number;
}

const MAX_FILE_BYTES = 1_048_576;
const KEY_PATTERN = /^[a-z0-9-]{1,255}$/;

/** Reads one file of entries. A file that is not YAML yields no entry and one problem per syntax error. */
export function readEntries(file: CatalogFile): { entries: ReadEntry[]; problems: CatalogProblem[] } {
  const lines = new LineCounter();
  const problem = (line: number, provider: string, reason: string): CatalogProblem => ({
    file: file.path,
    line,
    provider,
    keyPath: '',
    reason,
  });
  if (Buffer.byteLength(file.text) > MAX_FILE_BYTES)
    return { entries: [], problems: [problem(0, '', 'the file is larger than 1 MB')] };

  const document = parseDocument(file.text, {
    lineCounter: lines,
    schema: 'core',
    uniqueKeys: true,
    logLevel: 'error',
  });
  if (document.errors.length > 0) {
    return {
      entries: [],
      problems: document.errors.map((error) => problem(error.linePos?.[0].line ?? 0, '', firstLine(error.message))),
    };
  }
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
): { entries: ReadEntry[]; problems: CatalogProblem[] } {
  const entries: ReadEntry[] = [];
  const problems: CatalogProblem[] = [];
  for (const [name, raw] of Object.entries(document.toJS() as Record<string, unknown>)) {
    const lineOf = (path: (string | number)[]): number => findLine(document, [name, ...path], lines);
    if (!KEY_PATTERN.test(name)) problems.push(problem(lineOf([]), name, 'a provider key holds only a-z, 0-9 and -'));
    else if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
      problems.push(problem(lineOf([]), name, 'is not a map'));
    else entries.push({ name, raw: raw as RawEntry, file, lineOf });
  }
  return { entries, problems };
}

/** Tags could build surprising values and anchors hide what an entry says; neither is needed. */
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

/** The line of the key at `path`; a key that is not written falls back to what encloses it. */
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

function firstLine(message: string): string {
  return message.split('\n')[0] ?? message;
}
