import { decodeText } from './body-text.ts';
import { HomeportError } from './homeport-error.ts';

/** Fields of a form. Reading this many takes a few milliseconds. */
const MAX_FIELDS = 10_000;
const MAX_LEVELS = 32;

interface Field {
  /** The name and what its brackets contain: `a[b][]` is `a`, `b` and an empty text. */
  path: string[];
  value: string;
}

/** A name of the form, with its values, the names in its brackets, and the items of its empty brackets. */
interface Node {
  values: string[];
  items: Node[];
  members: Map<string, Node>;
}

/**
 * A form as JSON text: `a[b]=1` becomes an object, `a[]=1`, `a[0]=1` and a repeated name a list, whatever their number;
 * names keep their order. Throws `request_too_large` beyond the limits.
 */
export function formToJson(bytes: Buffer, charset = 'utf-8'): string {
  const root = newNode();
  for (const { path, value } of readFields(bytes, charset)) {
    let node = root;
    for (const [level, name] of path.entries()) node = step(node, name, level > 0);
    node.values.push(value);
  }
  return objectText(root);
}

function newNode(): Node {
  return { values: [], items: [], members: new Map() };
}

function step(node: Node, name: string, isBracket: boolean): Node {
  if (isBracket && name === '') {
    const item = newNode();
    node.items.push(item);
    return item;
  }
  const known = node.members.get(name) ?? newNode();
  node.members.set(name, known);
  return known;
}

function* readFields(bytes: Buffer, charset: string): Generator<Field> {
  // One character for each byte, so that escapes and plain bytes are decoded together.
  const text = bytes.toString('latin1');
  let count = 0;
  for (let start = 0; start <= text.length; ) {
    const next = text.indexOf('&', start);
    const end = next === -1 ? text.length : next;
    if (end > start) {
      count += 1;
      if (count > MAX_FIELDS)
        throw new HomeportError('request_too_large', `The form has more than ${MAX_FIELDS} fields. Send it in parts.`);
      const part = text.slice(start, end);
      const equals = part.indexOf('=');
      const name = decode(equals === -1 ? part : part.slice(0, equals), charset);
      yield { path: pathOf(name), value: equals === -1 ? '' : decode(part.slice(equals + 1), charset) };
    }
    start = end + 1;
  }
}

function decode(part: string, charset: string): string {
  const bytes = part
    .replaceAll('+', ' ')
    .replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return decodeText(Buffer.from(bytes, 'latin1'), charset);
}

/** A name whose brackets do not close is a plain name. */
function pathOf(name: string): string[] {
  const first = name.indexOf('[');
  if (first <= 0 || !name.endsWith(']')) return [name];
  const inner = name.slice(first + 1, -1).split('][');
  if (inner.some((one) => one.includes('[') || one.includes(']'))) return [name];
  if (inner.length > MAX_LEVELS)
    throw new HomeportError('request_too_large', `A name of the form nests more than ${MAX_LEVELS} levels.`);
  return [name.slice(0, first), ...inner];
}

function nodeText({ values, items, members }: Node): string {
  const own = values.map((value) => JSON.stringify(value));
  if (items.length === 0 && members.size === 0 && own.length === 1) return own[0] ?? '""';
  const indexes = [...members.keys()].every((name) => /^(0|[1-9]\d{0,8})$/.test(name));
  const sorted = indexes
    ? [...members].sort(([a], [b]) => Number(a) - Number(b)).map(([, node]) => nodeText(node))
    : [];
  const list = [...own, ...sorted, ...items.map(nodeText)];
  if (indexes) return `[${list.join(',')}]`;
  const object = objectText({ values, items: [], members });
  return list.length === 0 ? object : `[${[...list, object].join(',')}]`;
}

function objectText({ members }: Node): string {
  return `{${[...members].map(([name, node]) => `${JSON.stringify(name)}:${nodeText(node)}`).join(',')}}`;
}
