import { isDeepStrictEqual } from 'node:util';
import { parse as parseToml, patch as patchToml } from '@decimalturn/toml-patch';
import {
  applyEdits,
  findNodeAtLocation,
  modify,
  type ParseError,
  parse as parseJson,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { isMap, isPair, isScalar, type Pair, parseDocument, stringify as stringifyYaml, type YAMLMap } from 'yaml';

/** `json` may have comments and commas at the end, as editors write it. */
export type ConfigFormat = 'json' | 'toml' | 'yaml';

/** Names from the root of the file to the entry, such as `mcpServers`, `homeport`. */
export type EntryPath = readonly [string, ...string[]];

/** Thrown for a file that cannot be read or changed; the message says where and why. */
export class ConfigProblem extends Error {
  override name = 'ConfigProblem';
}

/** The entry at this path; undefined when there is none. */
export function readEntry(text: string, format: ConfigFormat, path: EntryPath): unknown {
  let at: unknown = parseConfig(text, format);
  for (const name of path) {
    if (at === undefined || at === null) return undefined;
    if (typeof at !== 'object' || Array.isArray(at)) throw new ConfigProblem(`"${name}" is not in an object.`);
    at = Object.hasOwn(at, name) ? (at as Record<string, unknown>)[name] : undefined;
  }
  return at ?? undefined;
}

/**
 * The text with this entry in place of the one that it has. Comments, order and all other characters stay; where that
 * cannot be promised, it throws.
 */
export function withEntry(text: string, format: ConfigFormat, path: EntryPath, entry: object): string {
  const before = parseConfig(text, format);
  // JSON is changed in its place: the lines around it may have comments.
  const isToRemove = format !== 'json' && readEntry(text, format, path) !== undefined;
  const changed = isToRemove ? withoutEntry(text, format, path) : text;
  const candidates = { json: setInJson, toml: setInToml, yaml: setInYaml }[format](changed, path, entry);
  return firstThatFits(candidates, format, setAt(before, path, entry));
}

/** The text without this entry. An object that it leaves empty may stay. */
export function withoutEntry(text: string, format: ConfigFormat, path: EntryPath): string {
  const wanted = parseConfig(text, format);
  if (readEntry(text, format, path) === undefined) return text;
  removeAt(wanted, path);
  const candidates = { json: removeFromJson, toml: removeFromToml, yaml: removeFromYaml }[format](text, path);
  return firstThatFits(candidates, format, wanted);
}

/** Each way to write is checked by what it reads as: only our entry may differ. */
function firstThatFits(candidates: Array<() => string>, format: ConfigFormat, wanted: unknown): string {
  for (const write of candidates) {
    try {
      const text = write();
      if (isDeepStrictEqual(plain(parseConfig(text, format)), plain(wanted))) return text;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
  }
  throw new ConfigProblem('It cannot be changed without touching something else. Add the entry by hand.');
}

/** Objects of parsers may have own prototypes. Nothing, null and an empty object mean the same here. */
function plain(value: unknown): unknown {
  const isEmpty = (one: unknown): boolean => one === null || (isPlainObject(one) && Object.keys(one).length === 0);
  if (Array.isArray(value)) return value.map(plain);
  if (!isPlainObject(value) || value instanceof Date) return value;
  const members = Object.entries(value).map(([name, one]): [string, unknown] => [name, plain(one)]);
  return Object.fromEntries(members.filter(([, one]) => !isEmpty(one)));
}

function parseConfig(text: string, format: ConfigFormat): unknown {
  if (text.trim() === '') return {};
  const value = { json: readJson, toml: readToml, yaml: readYaml }[format](text);
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new ConfigProblem('It holds no object.');
  return value;
}

function setAt(root: unknown, [name, ...rest]: readonly string[], entry: object): unknown {
  const object = { ...(root as Record<string, unknown> | undefined) };
  if (name === undefined) return entry;
  return { ...object, [name]: setAt(object[name], rest, entry) };
}

function removeAt(root: unknown, path: EntryPath): void {
  const parent = path.slice(0, -1).reduce((at, name) => (at as Record<string, unknown>)[name], root);
  delete (parent as Record<string, unknown>)[path.at(-1) ?? ''];
}

// JSON, with comments

function readJson(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parseJson(withoutMark(text), errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return value;
  const line = text.slice(0, first.offset).split('\n').length;
  throw new ConfigProblem(`It is not JSON: ${printParseErrorCode(first.error)} in line ${line}.`);
}

/** Text is put in, because the editor functions of the parser would also lay out the entry before ours. */
function setInJson(text: string, path: EntryPath, entry: object): Array<() => string> {
  const indentation = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return [
    () => {
      const body = withoutMark(text);
      const start = text.slice(0, text.length - body.length);
      const from = body.trim() === '' ? `{}${eol}` : body;
      const root = parseTree(from, [], { allowTrailingComma: true });
      const old = root && findNodeAtLocation(root, [...path]);
      if (old) {
        const [margin = ''] = /^[ \t]*/.exec(from.slice(from.lastIndexOf('\n', old.offset) + 1)) ?? [];
        const value = JSON.stringify(entry, null, indentation).replaceAll('\n', eol + margin);
        return start + from.slice(0, old.offset) + value + from.slice(old.offset + old.length);
      }
      let length = path.length - 1;
      while (length > 0 && root && findNodeAtLocation(root, path.slice(0, length)) === undefined) length -= 1;
      const parent = root && findNodeAtLocation(root, path.slice(0, length));
      if (!parent) throw new ConfigProblem('It holds no object.');
      const nested = path.slice(length + 1).reduceRight<object>((value, name) => ({ [name]: value }), entry);
      const first = parent.children?.[0];
      const margin = indentation.repeat(length + 1);
      const value = JSON.stringify(nested, null, indentation).replaceAll('\n', eol + margin);
      const member = `${JSON.stringify(path[length])}: ${value}`;
      if (first) return start + insertAt(from, first.offset, `${member},${eol}${margin}`);
      const endsLine = /^[ \t]*\r?\n/.test(from.slice(parent.offset + 1));
      const tail = endsLine ? '' : eol + indentation.repeat(length);
      return start + insertAt(from, parent.offset + 1, `${eol}${margin}${member}${tail}`);
    },
  ];
}

/** Our own lines go as a whole; another place is left to the editor functions of the parser, which take spaces along. */
function removeFromJson(text: string, path: EntryPath): Array<() => string> {
  const body = withoutMark(text);
  const start = text.slice(0, text.length - body.length);
  const lines = (): string => {
    const root = parseTree(body, [], { allowTrailingComma: true });
    const member = root && findNodeAtLocation(root, [...path])?.parent;
    const at = member?.offset ?? 0;
    const [, margin = ''] = /(?:^|\n)([ \t]*)$/.exec(body.slice(0, at)) ?? [];
    const isOnly = member?.parent?.children?.length === 1;
    const end = (isOnly ? /^[ \t]*(?:,[ \t]*)?\r?\n/ : /^[ \t]*,[ \t]*\r?\n/).exec(
      body.slice(at + (member?.length ?? 0)),
    );
    if (!member || !end) throw new ConfigProblem('Not lines of their own.');
    return start + body.slice(0, at - margin.length) + body.slice(at + member.length + end[0].length);
  };
  return [lines, () => start + applyEdits(body, modify(body, [...path], undefined, {}))];
}

function insertAt(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at);
}

/** Windows editors put a byte order mark before the text. */
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

// TOML

function readToml(text: string): unknown {
  try {
    return parseToml(text);
  } catch (error) {
    throw new ConfigProblem(`It is not TOML: ${firstLine(error)}`);
  }
}

/** A table of its own at the end is what a person would write; an inline table of all entries is patched. */
function setInToml(text: string, path: EntryPath, entry: object): Array<() => string> {
  const nested = path.reduceRight<object>((value, name) => ({ [name]: value }), entry);
  const section = (): string => {
    const lines = Object.entries(entry).map(([name, value]) => `${name} = ${tomlValue(value)}`);
    const gap = text.trim() === '' ? '' : `${text.trimEnd()}\n\n`;
    return `${gap}[${path.map(tomlName).join('.')}]\n${lines.join('\n')}\n`
      .replaceAll('\n', text.includes('\r\n') ? '\r\n' : '\n')
      .replaceAll('\r\r', '\r');
  };
  return [section, () => patchToml(text, deepMerge(parseToml(text), nested))];
}

function removeFromToml(text: string, path: EntryPath): Array<() => string> {
  return [
    () => withoutTables(text, path.map(tomlName).join('.')),
    () => {
      const wanted = parseToml(text);
      removeAt(wanted, path);
      return patchToml(text, wanted);
    },
  ];
}

/** Without the lines of a table and of the tables in it. Comments after its last value belong to what follows. */
function withoutTables(text: string, name: string): string {
  const lines = text.split('\n');
  const isHeader = (line: string): boolean => line.trimStart().startsWith('[');
  const isOwn = (line: string): boolean => [`[${name}]`, `[${name}.`].some((one) => line.trimStart().startsWith(one));
  const start = lines.findIndex(isOwn);
  let end = start;
  for (let at = start; at >= 0 && at < lines.length; at++) {
    const line = lines[at]?.trim() ?? '';
    if (isHeader(line) && !isOwn(line)) break;
    if (line !== '' && !line.startsWith('#')) end = at + 1;
  }
  const gap = start > 0 && lines[start - 1]?.trim() === '' ? 1 : 0;
  return [...lines.slice(0, start - gap), ...lines.slice(end)].join('\n');
}

function tomlName(name: string): string {
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
}

/** Texts, numbers, lists of them and one level of objects: more is in no entry. A JSON text is a TOML text. */
function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, one]) => `${tomlName(name)} = ${tomlValue(one)}`);
  return `{ ${members.join(', ')} }`;
}

function deepMerge(base: unknown, added: object): Record<string, unknown> {
  const merged = { ...(base as Record<string, unknown>) };
  for (const [name, value] of Object.entries(added))
    merged[name] = isPlainObject(merged[name]) && isPlainObject(value) ? deepMerge(merged[name], value) : value;
  return merged;
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// YAML

function readYaml(text: string): unknown {
  const document = parseDocument(text);
  const [first] = document.errors;
  if (first) throw new ConfigProblem(`It is not YAML: ${firstLine(first)}`);
  return document.toJS();
}

const UNFOLDED = { lineWidth: 0 };

/** Lines are put into the text, because writing the whole document again would also fold and quote the rest. */
function setInYaml(text: string, path: EntryPath, entry: object): Array<() => string> {
  return [
    () => {
      const { parent, rest } = deepestMap(text, path);
      const first = parent.items.find(isPair);
      const nested = rest.reduceRight<object>((value, name) => ({ [name]: value }), entry);
      const at = first === undefined ? undefined : startOfKey(first);
      if (parent.flow || at === undefined) throw new ConfigProblem('It has no lines to add to.');
      const start = text.lastIndexOf('\n', at - 1) + 1;
      const indentation = text.slice(start, at);
      const lines = stringifyYaml(nested, UNFOLDED).trimEnd().split('\n');
      const added = lines.map((line) => `${indentation}${line}\n`).join('');
      return text.slice(0, start) + added + text.slice(start);
    },
    () => {
      const document = parseDocument(text);
      // A name without a value cannot take members.
      const { rest } = text.trim() === '' || !isMap(document.contents) ? { rest: path } : deepestMap(text, path);
      const nested = rest.slice(1).reduceRight<object>((value, name) => ({ [name]: value }), entry);
      document.setIn(path.slice(0, path.length - rest.length + 1), document.createNode(nested));
      return document.toString(UNFOLDED);
    },
  ];
}

/** The last object on the way to the entry that the file has, and the names from there. */
function deepestMap(text: string, path: EntryPath): { parent: YAMLMap; rest: readonly string[] } {
  const document = parseDocument(text);
  for (let length = path.length - 1; length >= 0; length--) {
    const found: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isMap(found)) return { parent: found, rest: path.slice(length) };
  }
  throw new ConfigProblem('It holds no object.');
}

function removeFromYaml(text: string, path: EntryPath): Array<() => string> {
  return [
    () => {
      const { parent, rest } = deepestMap(text, path);
      const index = parent.items.findIndex((pair) => isScalar(pair.key) && pair.key.value === rest[0]);
      const pair = parent.items[index];
      const at = pair && startOfKey(pair);
      if (parent.flow || !pair || at === undefined || parent.items.length === 1)
        throw new ConfigProblem('Not by lines.');
      const start = text.lastIndexOf('\n', at - 1) + 1;
      const end = (pair.value as { range?: [number, number, number] | null } | null)?.range?.[1] ?? at;
      const lineEnd = text.indexOf('\n', Math.max(end - 1, at));
      return text.slice(0, start) + (lineEnd === -1 ? '' : text.slice(lineEnd + 1));
    },
    () => {
      const document = parseDocument(text);
      document.deleteIn(path);
      return document.toString(UNFOLDED);
    },
  ];
}

function startOfKey(pair: Pair): number | undefined {
  return (pair.key as { range?: [number, number, number] | null } | null)?.range?.[0];
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
