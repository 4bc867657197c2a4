import { isMap, isScalar, parseDocument, stringify } from 'yaml';

/** The only entry of a text, as the form shows it. */
export interface EntryDocument {
  /** The key of the provider. */
  name: string;
  /** The text at a path inside the entry; empty when there is none, lists joined by commas. */
  text(path: readonly string[]): string;
  /** The texts of a map by their names. */
  map(path: readonly string[]): Record<string, string>;
  has(path: readonly string[]): boolean;
}

const EMPTY: EntryDocument = { name: '', text: () => '', map: () => ({}), has: () => false };

/** Undefined for a text that is not YAML or does not contain exactly one entry: the form is then disabled. */
export function readEntryDocument(text: string): EntryDocument | undefined {
  const document = parseDocument(text, { schema: 'core', logLevel: 'error' });
  if (document.errors.length > 0) return undefined;
  if (document.contents === null) return EMPTY;
  if (!isMap(document.contents) || document.contents.items.length !== 1) return undefined;
  const key = document.contents.items[0]?.key;
  const found = isScalar(key) ? key.value : key;
  // An empty key is null for YAML; the form shows and changes it as an empty text.
  const name = found === null || found === undefined ? '' : String(found);
  const whole = document.toJS() as Record<string, unknown>;
  const at = (path: readonly string[]): unknown =>
    path.reduce<unknown>((value, part) => (isObject(value) ? value[part] : undefined), whole[name]);
  return {
    name,
    text: (path) => {
      const value = at(path);
      if (Array.isArray(value)) return value.map(String).join(',');
      return value === undefined || value === null || isObject(value) ? '' : String(value);
    },
    map: (path) => {
      const value = at(path);
      return isObject(value) ? Object.fromEntries(Object.entries(value).map(([one, item]) => [one, String(item)])) : {};
    },
    has: (path) => at(path) !== undefined,
  };
}

type Value = string | boolean | readonly string[] | Record<string, unknown>;

/** The text with one value set; undefined removes it, and maps that are then empty. Comments and order stay. */
export function writeEntryValue(text: string, path: readonly string[], value: Value | undefined): string {
  const document = parseDocument(text, { schema: 'core', logLevel: 'error' });
  const entry = readEntryDocument(text);
  if (!entry) return text;
  const whole = [entry === EMPTY ? 'my-provider' : entry.name, ...path];
  const before: unknown = document.getIn(whole, true);
  // When a value replaces a value, the rest of the text is not reformatted.
  if (typeof value === 'string' && isScalar(before) && before.range)
    return splice(text, before.range, stringify(value));
  if (value !== undefined) {
    document.setIn(whole, typeof value === 'object' ? document.createNode(value) : value);
  } else {
    document.deleteIn(whole);
    for (let depth = whole.length - 1; depth > 1; depth -= 1) {
      const above = document.getIn(whole.slice(0, depth));
      if (isMap(above) && above.items.length === 0) document.deleteIn(whole.slice(0, depth));
    }
  }
  return document.toString({ lineWidth: 0 });
}

/** The text with another key for its entry. */
export function renameEntry(text: string, name: string): string {
  const document = parseDocument(text, { schema: 'core', logLevel: 'error' });
  if (!isMap(document.contents)) return `${stringify(name).trimEnd()}:\n  display_name: ""\n`;
  const [pair] = document.contents.items;
  if (!pair || !isScalar(pair.key)) return text;
  // As a quoted text where it would mean something else: an empty key would be null.
  return pair.key.range ? splice(text, pair.key.range, stringify(name)) : text;
}

/** `range` is the start of a node in the text and the end of its value. */
function splice(text: string, [start, end]: readonly [number, number, number], value: string): string {
  return `${text.slice(0, start)}${value.trimEnd()}${text.slice(end)}`;
}

/** Names of `${connectionConfig.…}` placeholders without a field that asks for them. */
export function undescribedFields(text: string, entry: EntryDocument): string[] {
  const used = [...text.matchAll(/\$\{connection_?[cC]onfig\.([A-Za-z0-9_.-]+)\}/g)].map((match) => match[1] ?? '');
  return [...new Set(used)].filter((name) => !entry.has(['connection_config', name]));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
