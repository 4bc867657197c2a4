interface SchemaField {
  /** The path of the member: `lines[].sku`. */
  path: string;
  depth: number;
  name: string;
  /** "text, up to 80 characters", "list of text", "one of open, closed", "whole number, 1 to 5". */
  type: string;
  isRequired: boolean;
  description: string;
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  default?: unknown;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  definitions?: Record<string, Schema>;
}

const DEEPEST = 3;
const WORDS: Record<string, string> = { string: 'text', integer: 'whole number', object: 'object', array: 'list' };

/** Members of an object schema, members of inner objects below them; empty for a schema of another kind. */
export function schemaFields(schema: object): SchemaField[] {
  const root = schema as Schema;
  return fieldsOf(root, resolve(root, root), '', 0);
}

/** A short description of the schema's type. */
export function schemaType(schema: object, root: object = schema): string {
  const one = resolve(schema as Schema, root as Schema);
  const choices = one.anyOf ?? one.oneOf;
  if (choices) return choices.map((choice) => schemaType(choice, root)).join(' or ');
  if (one.const !== undefined) return JSON.stringify(one.const);
  if (one.enum) return `one of ${one.enum.map(String).join(', ')}`;
  if (one.type === 'array') {
    const list = one.items ? `list of ${schemaType(one.items, root)}` : 'list';
    return [list, ...rangeOf(one.minItems, one.maxItems, 'items')].join(', ');
  }
  const names = [one.type ?? (one.properties ? 'object' : 'any')].flat().map((name) => WORDS[name] ?? name);
  const type = one.format ? `${names.join(' or ')} (${one.format})` : names.join(' or ');
  return [type, ...limitsOf(one)].join(', ');
}

/** What else a value must fulfil, in words. */
function limitsOf(one: Schema): string[] {
  return [
    ...rangeOf(one.minimum, one.maximum, ''),
    ...(one.exclusiveMinimum === undefined ? [] : [`more than ${one.exclusiveMinimum}`]),
    ...(one.exclusiveMaximum === undefined ? [] : [`less than ${one.exclusiveMaximum}`]),
    ...(one.multipleOf === undefined ? [] : [`a multiple of ${one.multipleOf}`]),
    ...rangeOf(one.minLength, one.maxLength, 'characters'),
    ...(one.default === undefined ? [] : [`default ${JSON.stringify(one.default)}`]),
  ];
}

/** "1 to 5"; whole numbers without a limit of their own end at the largest exact one, which says nothing. */
function rangeOf(least: number | undefined, most: number | undefined, noun: string): string[] {
  const from = least === undefined || least <= Number.MIN_SAFE_INTEGER ? undefined : least;
  const to = most === undefined || most >= Number.MAX_SAFE_INTEGER ? undefined : most;
  const unit = noun && ` ${noun}`;
  if (from === undefined && to === undefined) return [];
  if (from === undefined) return [noun === '' ? `at most ${to}` : `up to ${to}${unit}`];
  if (to === undefined) return [`at least ${from}${unit}`];
  return [from === to ? `exactly ${from}${unit}` : `${from} to ${to}${unit}`];
}

function fieldsOf(root: Schema, schema: Schema, before: string, depth: number): SchemaField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const one = resolve(member, root);
    const isList = one.type === 'array';
    const path = `${before}${name}${isList ? '[]' : ''}`;
    const field: SchemaField = {
      path,
      depth,
      name,
      type: schemaType(one, root),
      isRequired: schema.required?.includes(name) ?? false,
      description: one.description ?? '',
    };
    const inner = isList && one.items ? resolve(one.items, root) : one;
    return [field, ...(depth < DEEPEST ? fieldsOf(root, inner, `${path}.`, depth + 1) : [])];
  });
}

/** The schema that a reference inside the document names. */
function resolve(schema: Schema, root: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return (name === undefined ? undefined : root.definitions?.[name]) ?? schema;
}
