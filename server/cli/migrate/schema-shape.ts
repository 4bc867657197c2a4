/** A type of the old project, before it is written as a zod schema. */
export type Shape =
  | { kind: 'literal'; value: string | number | boolean | null }
  | { kind: 'undefined' }
  | { kind: 'model'; name: string }
  | { kind: 'list'; of: Shape }
  | { kind: 'union'; of: Shape[] }
  | { kind: 'object'; fields: ShapeField[]; rest?: Shape }
  /** A zod schema that contains no other shape, for example `z.string()`. */
  | { kind: 'zod'; code: string }
  /** A call around other shapes, for example `z.record(z.string(), …)`; `%0` is the first of them. */
  | { kind: 'call'; code: string; of: Shape[] };

export interface ShapeField {
  name: string;
  shape: Shape;
  isOptional: boolean;
  /** The author's remarks on this field, one line each. */
  remarks?: string[];
}

export const ANY: Shape = { kind: 'zod', code: 'z.any()' };
/** `object` and `Record<string, any>`: any object fits, also one of an interface. */
export const ANY_OBJECT: Shape = { kind: 'zod', code: 'z.record(z.string(), z.any())' };

/** The schemas of names of types, those of nango.yaml and those of TypeScript. */
const NAMED: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ...['string', 'String', 'char'].map((name) => [name, { kind: 'zod', code: 'z.string()' }] as const),
  ...['number', 'Number', 'int', 'integer', 'float'].map(
    (name) => [name, { kind: 'zod', code: 'z.number()' }] as const,
  ),
  ...['boolean', 'Boolean', 'bool'].map((name) => [name, { kind: 'zod', code: 'z.boolean()' }] as const),
  ...['date', 'Date'].map((name) => [name, { kind: 'zod', code: 'z.date()' }] as const),
  ...['object', 'Object'].map((name) => [name, ANY_OBJECT] as const),
  ...['undefined', 'void'].map((name) => [name, { kind: 'undefined' }] as const),
  ['null', { kind: 'literal', value: null }],
  ['any', ANY],
  ['unknown', { kind: 'zod', code: 'z.unknown()' }],
  ['never', { kind: 'zod', code: 'z.never()' }],
  ['bigint', { kind: 'zod', code: 'z.bigint()' }],
]);

export function namedShape(name: string): Shape | undefined {
  return NAMED.get(name);
}

/** Names of the models that a shape contains, and whether each stands directly in a field, where a getter can wait. */
export function* modelsIn(shape: Shape): Generator<string> {
  if (shape.kind === 'model') yield shape.name;
  if (shape.kind === 'list') yield* modelsIn(shape.of);
  if (shape.kind === 'union' || shape.kind === 'call') for (const one of shape.of) yield* modelsIn(one);
  if (shape.kind !== 'object') return;
  for (const { shape: inner } of shape.fields) yield* modelsIn(inner);
  if (shape.rest) yield* modelsIn(shape.rest);
}

export interface WriteShapeOptions {
  /** Models that are declared later: a field that contains one becomes a getter. */
  isLater?: (name: string) => boolean;
  /** The name of zod in the file. */
  zod?: string;
}

/** The shape as a zod schema, with two spaces for each level. */
export function writeShape(shape: Shape, options: WriteShapeOptions = {}, indent = ''): string {
  const { schema, isOptional } = write(shape, options, indent);
  return isOptional ? `${schema}.optional()` : schema;
}

/** The fields of an object, one line each. */
export function writeFields(fields: readonly ShapeField[], options: WriteShapeOptions, indent: string): string[] {
  return fields.flatMap(({ name, shape, isOptional, remarks = [] }) => {
    const written = write(shape, options, indent);
    const schema = isOptional || written.isOptional ? `${written.schema}.optional()` : written.schema;
    const key = writeKey(name);
    const waits = [...modelsIn(shape)].some((model) => options.isLater?.(model));
    const line = waits ? `get ${key}() { return ${schema}; },` : `${key}: ${schema},`;
    return [...remarks.map((remark) => `${indent}// ${remark}`), `${indent}${line}`];
  });
}

function write(shape: Shape, options: WriteShapeOptions, indent: string): { schema: string; isOptional: boolean } {
  const { zod = 'z' } = options;
  const named = (code: string): string => (zod === 'z' ? code : code.replace(/\bz\./g, `${zod}.`));
  const inner = (one: Shape): string => writeShape(one, options, indent);
  const plain = (schema: string): { schema: string; isOptional: boolean } => ({ schema, isOptional: false });
  switch (shape.kind) {
    case 'zod':
      return plain(named(shape.code));
    case 'literal':
      return plain(shape.value === null ? named('z.null()') : named(`z.literal(${writeLiteral(shape.value)})`));
    case 'undefined':
      return plain(named('z.void()'));
    case 'model':
      return plain(shape.name);
    case 'list':
      return plain(`${named('z.array(')}${inner(shape.of)})`);
    case 'call':
      return plain(named(shape.code).replace(/%(\d)/g, (_, index) => inner(shape.of[Number(index)] ?? ANY)));
    case 'object':
      return plain(writeObject(shape, options, indent));
    case 'union':
      return writeUnion(shape.of.flatMap(membersOf), options, indent);
  }
}

function membersOf(shape: Shape): Shape[] {
  return shape.kind === 'union' ? shape.of.flatMap(membersOf) : [shape];
}

function writeUnion(
  members: Shape[],
  options: WriteShapeOptions,
  indent: string,
): { schema: string; isOptional: boolean } {
  const { zod = 'z' } = options;
  const isOptional = members.some(({ kind }) => kind === 'undefined');
  const isNullable = members.some((one) => one.kind === 'literal' && one.value === null);
  const rest = members.filter((one) => one.kind !== 'undefined' && !(one.kind === 'literal' && one.value === null));
  const words = rest.flatMap((one) => (one.kind === 'literal' && typeof one.value === 'string' ? [one.value] : []));
  const [only] = rest;
  let schema: string;
  if (!only) schema = isNullable ? `${zod}.null()` : `${zod}.undefined()`;
  else if (rest.length === 1) schema = writeShape(only, options, indent);
  else if (words.length === rest.length) schema = `${zod}.enum([${[...new Set(words)].map(quoteText).join(', ')}])`;
  else schema = `${zod}.union([${rest.map((one) => writeShape(one, options, indent)).join(', ')}])`;
  return { schema: only && isNullable ? `${schema}.nullable()` : schema, isOptional: isOptional && only !== undefined };
}

function writeObject(
  { fields, rest }: Extract<Shape, { kind: 'object' }>,
  options: WriteShapeOptions,
  indent: string,
): string {
  const { zod = 'z' } = options;
  if (rest && fields.length === 0) return `${zod}.record(${zod}.string(), ${writeShape(rest, options, indent)})`;
  const lines = writeFields(fields, options, `${indent}  `);
  const object = lines.length === 0 ? `${zod}.object({})` : `${zod}.object({\n${lines.join('\n')}\n${indent}})`;
  return rest ? `${object}.catchall(${writeShape(rest, options, indent)})` : object;
}

function writeLiteral(value: string | number | boolean): string {
  return typeof value === 'string' ? quoteText(value) : String(value);
}

export function writeKey(name: string): string {
  // In an object literal this would be its prototype.
  if (name === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoteText(name);
}

/** A string literal, in double quotes when the text contains single ones. */
export function quoteText(text: string): string {
  const escaped = JSON.stringify(text);
  return text.includes("'") ? escaped : `'${escaped.slice(1, -1).replaceAll('\\"', '"')}'`;
}

export function renameModels(shape: Shape, nameOf: (name: string) => string): Shape {
  if (shape.kind === 'model') return { kind: 'model', name: nameOf(shape.name) };
  if (shape.kind === 'list') return { kind: 'list', of: renameModels(shape.of, nameOf) };
  if (shape.kind === 'union' || shape.kind === 'call')
    return { ...shape, of: shape.of.map((one) => renameModels(one, nameOf)) };
  if (shape.kind !== 'object') return shape;
  const fields = shape.fields.map((field) => ({ ...field, shape: renameModels(field.shape, nameOf) }));
  return { ...shape, fields, ...(shape.rest ? { rest: renameModels(shape.rest, nameOf) } : {}) };
}

/** Whether a value may be a number. */
export function isNumeric(shape: Shape): boolean {
  if (shape.kind === 'union') return shape.of.some(isNumeric);
  return (
    (shape.kind === 'zod' && shape.code === 'z.number()') ||
    (shape.kind === 'literal' && typeof shape.value === 'number')
  );
}
