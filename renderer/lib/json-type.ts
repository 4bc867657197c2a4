/** The known types of the values at one place. */
interface Shape {
  scalars: Set<'string' | 'number' | 'boolean' | 'null'>;
  /** The number of objects, and their members by name. */
  objects: number;
  members: Map<string, { shape: Shape; seen: number }>;
  /** The elements of all lists; undefined when there was no list. */
  items: Shape | undefined;
}

const emptyShape = (): Shape => ({ scalars: new Set(), objects: 0, members: new Map(), items: undefined });

/** A TypeScript type for such JSON values; members that only some elements of a list have are optional. */
export function toTypeScript(value: unknown, name: string): string {
  const shape = emptyShape();
  learn(shape, value);
  return `export type ${typeName(name)} = ${write(shape, '')};\n`;
}

function learn(shape: Shape, value: unknown): void {
  if (Array.isArray(value)) {
    shape.items ??= emptyShape();
    for (const item of value) learn(shape.items, item);
  } else if (typeof value === 'object' && value !== null) {
    shape.objects += 1;
    for (const [name, child] of Object.entries(value)) {
      const member = shape.members.get(name) ?? { shape: emptyShape(), seen: 0 };
      member.seen += 1;
      learn(member.shape, child);
      shape.members.set(name, member);
    }
  } else {
    shape.scalars.add(value === null ? 'null' : (typeof value as 'string' | 'number' | 'boolean'));
  }
}

const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/;

function write(shape: Shape, indent: string): string {
  const parts = alternatives(shape, indent);
  // An empty list says nothing about its elements.
  return parts.length === 0 ? 'unknown' : parts.join(' | ');
}

function alternatives({ items, members, objects, scalars }: Shape, indent: string): string[] {
  const parts: string[] = (['string', 'number', 'boolean'] as const).filter((scalar) => scalars.has(scalar));
  if (objects > 0) {
    const lines = [...members].map(([name, member]) => {
      const key = PLAIN_NAME.test(name) ? name : JSON.stringify(name);
      return `${indent}  ${key}${member.seen < objects ? '?' : ''}: ${write(member.shape, `${indent}  `)};\n`;
    });
    parts.push(lines.length === 0 ? 'Record<string, never>' : `{\n${lines.join('')}${indent}}`);
  }
  if (items) {
    const of = alternatives(items, indent);
    const item = of.join(' | ') || 'unknown';
    parts.push(of.length > 1 ? `(${item})[]` : `${item}[]`);
  }
  if (scalars.has('null')) parts.push('null');
  return parts;
}

/** "invoice lines" and "invoice-lines" become InvoiceLines; the name must not hide TypeScript's `Record`. */
function typeName(text: string): string {
  const name = text
    .split(/[^\p{L}\p{N}_$]+/u)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
  if (name === 'Record') return 'RecordValue';
  return /^[\p{L}_$]/u.test(name) ? name : `Value${name}`;
}
