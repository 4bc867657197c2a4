/** One visible line of a JSON tree. */
export interface JsonLine {
  path: string;
  depth: number;
  /** Member name; undefined for the root and for array items. */
  name: string | undefined;
  kind: 'open' | 'close' | 'value' | 'folded';
  /** What is printed after the name. */
  text: string;
  type: 'string' | 'number' | 'boolean' | 'null' | 'bracket';
  isLast: boolean;
  value: unknown;
}

/** Longer texts are cut in the tree; copying gives the whole. */
const TEXT_LIMIT = 200;

function scalar(value: unknown): Pick<JsonLine, 'text' | 'type'> {
  if (typeof value === 'string') {
    const cut = value.length > TEXT_LIMIT ? `${value.slice(0, TEXT_LIMIT)}…` : value;
    return { text: JSON.stringify(cut), type: 'string' };
  }
  if (typeof value === 'number') return { text: String(value), type: 'number' };
  if (typeof value === 'boolean') return { text: String(value), type: 'boolean' };
  return { text: 'null', type: 'null' };
}

const isTree = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The lines of `value`, leaving out what stands inside the folded paths. */
export function jsonLines(value: unknown, folded: ReadonlySet<string>): JsonLine[] {
  const lines: JsonLine[] = [];
  const visit = (node: unknown, path: string, name: string | undefined, depth: number, isLast: boolean): void => {
    const base = { path, depth, name, isLast, value: node };
    if (!isTree(node)) {
      lines.push({ ...base, kind: 'value', ...scalar(node) });
      return;
    }
    const isArray = Array.isArray(node);
    const members = Object.entries(node);
    const [open, close] = isArray ? ['[', ']'] : ['{', '}'];
    if (members.length === 0 || folded.has(path)) {
      const kind = members.length === 0 ? 'value' : 'folded';
      const inside = members.length === 0 ? '' : ` ${members.length} `;
      lines.push({ ...base, kind, text: `${open}${inside}${close}`, type: 'bracket' });
      return;
    }
    lines.push({ ...base, kind: 'open', text: open, type: 'bracket' });
    members.forEach(([key, child], index) => {
      visit(child, `${path}/${key}`, isArray ? undefined : key, depth + 1, index === members.length - 1);
    });
    lines.push({ ...base, path: `${path}/`, name: undefined, kind: 'close', text: close, type: 'bracket' });
  };
  visit(value, '', undefined, 0, true);
  return lines;
}
