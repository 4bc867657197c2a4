import type { Node } from 'oxc-parser';
import { SourceFile } from '../../../functions/compiler/source-file.ts';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import { ANY, ANY_OBJECT, namedShape, type Shape, type ShapeField, writeKey } from './schema-shape.ts';

export interface TypeNames {
  /** Whether a name is a model. */
  isModel: (name: string) => boolean;
  /** Called with the text of a type that has no schema; `z.any()` is used for it. */
  onUnknown: (text: string) => void;
}

/** More than a person writes. Each bracket is a level of the recursion. */
const MAX_LENGTH = 20_000;
const MAX_BRACKETS = 300;

/**
 * The shape of a type in the words of nango.yaml: `string[]`, `A | null`, `"open" | "closed"`, `Record<string, any>`. A
 * word that is neither a type nor a model is a literal text, as in the old format.
 */
export function readTypeText(text: string, names: TypeNames): Shape {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH || (trimmed.match(/[[({<]/g)?.length ?? 0) > MAX_BRACKETS) {
    names.onUnknown(`${trimmed.slice(0, 60)}…`);
    return ANY;
  }
  const parts = splitUnion(trimmed);
  if (parts.length > 1) return { kind: 'union', of: parts.map((part) => readTypeText(part, names)) };
  const known = namedShape(trimmed);
  if (known) return known;
  if (names.isModel(trimmed)) return { kind: 'model', name: trimmed };
  const list = /^(.+)\[\]$/s.exec(trimmed)?.[1];
  if (list !== undefined) return { kind: 'list', of: readTypeText(list, names) };
  if (isWrapped(trimmed)) return readTypeText(trimmed.slice(1, -1), names);
  const literal = readLiteral(trimmed);
  if (literal) return literal;
  const optional = /^(.+)\?$/s.exec(trimmed)?.[1]?.trim();
  if (optional !== undefined && (namedShape(optional) || names.isModel(optional) || /[\]>}]$/.test(optional)))
    return { kind: 'union', of: [readTypeText(optional, names), { kind: 'undefined' }] };
  const typescript = /^(?:[A-Za-z_$][\w$.]*\s*<.*>|\{.*\}|\[.*\])$/s.test(trimmed)
    ? readTypescript(trimmed)
    : undefined;
  return typescript ? readTypeNode(typescript.node, typescript.text, names) : { kind: 'literal', value: trimmed };
}

/** A type that is written where it is used, as text or as a map of fields; undefined for other values of YAML. */
export function readInlineType(value: unknown, names: TypeNames): Shape | undefined {
  if (typeof value === 'string') return readTypeText(value, names);
  if (!isJsonObject(value)) return undefined;
  const fields = Object.entries(value).map(([key, inner]) => ({
    name: key.replace(/\?$/, ''),
    shape: readInlineType(inner, names) ?? ANY,
    isOptional: key.endsWith('?'),
  }));
  return { kind: 'object', fields };
}

/** Whether one pair of parentheses encloses the whole text. */
function isWrapped(text: string): boolean {
  if (!text.startsWith('(') || !text.endsWith(')')) return false;
  let depth = 0;
  for (const [index, letter] of [...text].entries()) {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (depth === 0) return index === text.length - 1;
  }
  return false;
}

function readLiteral(text: string): Shape | undefined {
  const quoted = /^(['"`])(.*)\1$/s.exec(text)?.[2];
  if (quoted !== undefined && !/['"`]/.test(quoted)) return { kind: 'literal', value: quoted };
  if (text === 'true' || text === 'false') return { kind: 'literal', value: text === 'true' };
  return /^-?\d+(?:\.\d+)?$/.test(text) ? { kind: 'literal', value: Number(text) } : undefined;
}

/** Splits at `|` outside of brackets and quotes. A leading `|` is allowed. */
function splitUnion(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const letter = text.charAt(index);
    if (quote !== '') {
      if (letter === quote) quote = '';
    } else if (/['"`]/.test(letter)) quote = letter;
    else if (/[<({[]/.test(letter)) depth += 1;
    else if (/[\])}]/.test(letter) || (letter === '>' && text.charAt(index - 1) !== '=')) depth -= 1;
    else if (letter === '|' && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)].filter((part, index) => index > 0 || part.trim() !== '');
}

function readTypescript(text: string): { node: Node; text: string } | undefined {
  const whole = `type T = ${text};`;
  const file = new SourceFile('type.ts', whole);
  const [statement] = file.program.body;
  if (file.syntaxErrors.length > 0 || statement?.type !== 'TSTypeAliasDeclaration') return undefined;
  return { node: statement.typeAnnotation, text: whole };
}

/** The shape of a TypeScript type. `text` is the source of the file that contains the node. */
export function readTypeNode(node: Node, text: string, names: TypeNames): Shape {
  const inner = (one: Node): Shape => readTypeNode(one, text, names);
  const unknown = (): Shape => {
    names.onUnknown(text.slice(node.start, node.end));
    return ANY;
  };
  switch (node.type) {
    case 'TSArrayType':
      return { kind: 'list', of: inner(node.elementType) };
    case 'TSUnionType':
      return { kind: 'union', of: node.types.map(inner) };
    case 'TSParenthesizedType':
      return inner(node.typeAnnotation);
    case 'TSIntersectionType':
      return node.types
        .map(inner)
        .reduce((left, right) => ({ kind: 'call', code: 'z.intersection(%0, %1)', of: [left, right] }));
    case 'TSTupleType': {
      const items = node.elementTypes.map((one) => inner(one as Node));
      return { kind: 'call', code: `z.tuple([${items.map((_, index) => `%${index}`).join(', ')}])`, of: items };
    }
    case 'TSTypeLiteral':
      return readMembers(node.members, text, names) ?? unknown();
    case 'TSTypeOperator':
      return node.operator === 'readonly' ? inner(node.typeAnnotation) : unknown();
    case 'TSLiteralType': {
      const literal = readLiteral(text.slice(node.literal.start, node.literal.end));
      return literal ?? unknown();
    }
    case 'TSTypeReference':
      return readReference(node, text, names) ?? unknown();
    default:
      // Keywords: `string`, `null`, `unknown`, …
      return namedShape(text.slice(node.start, node.end)) ?? unknown();
  }
}

function readReference(
  node: Extract<Node, { type: 'TSTypeReference' }>,
  text: string,
  names: TypeNames,
): Shape | undefined {
  const name = text.slice(node.typeName.start, node.typeName.end);
  const written: Node[] = node.typeArguments?.params ?? [];
  const types = written.map((one) => readTypeNode(one, text, names));
  const [first = ANY, second = ANY] = types;
  switch (name) {
    case 'Array':
    case 'ReadonlyArray':
    case 'Set':
      return { kind: 'list', of: first };
    case 'Record': {
      const isAny = second === ANY || (second.kind === 'zod' && second.code === 'z.any()');
      if (isAny && first.kind === 'zod' && first.code === 'z.string()') return ANY_OBJECT;
      return { kind: 'call', code: 'z.record(%0, %1)', of: [first, second] };
    }
    case 'Readonly':
    case 'Promise':
      return first;
    case 'Partial':
    case 'Required':
      return first.kind === 'model' ? { kind: 'call', code: `%0.${name.toLowerCase()}()`, of: [first] } : undefined;
    case 'Pick':
    case 'Omit': {
      const keys = second.kind === 'union' ? second.of : [second];
      const mask = keys.flatMap((key) => (key.kind === 'literal' ? [`${writeKey(String(key.value))}: true`] : []));
      if (first.kind !== 'model' || mask.length !== keys.length) return undefined;
      return { kind: 'call', code: `%0.${name.toLowerCase()}({ ${mask.join(', ')} })`, of: [first] };
    }
  }
  if (written.length > 0) return undefined;
  return names.isModel(name) ? { kind: 'model', name } : namedShape(name);
}

/** The members of an interface or of an object type; undefined when one of them has no schema. */
export function readMembers(members: readonly Node[], text: string, names: TypeNames): Shape | undefined {
  const fields: ShapeField[] = [];
  let rest: Shape | undefined;
  for (const member of members) {
    if (member.type === 'TSIndexSignature') rest = readTypeNode(member.typeAnnotation.typeAnnotation, text, names);
    else if (member.type === 'TSPropertySignature' && !member.computed && member.typeAnnotation) {
      const key =
        member.key.type === 'Literal' ? String(member.key.value) : text.slice(member.key.start, member.key.end);
      const shape = readTypeNode(member.typeAnnotation.typeAnnotation, text, names);
      fields.push({ name: key, shape, isOptional: member.optional });
    } else return undefined;
  }
  return { kind: 'object', fields, ...(rest ? { rest } : {}) };
}
