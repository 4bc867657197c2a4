interface SchemaField {
  /** The path of the member: `lines[].sku`. */
  path: string;
  depth: number;
  name: string;
  /** "text", "list of text", "one of open, closed". */
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
  if (one.type === 'array') return one.items ? `list of ${schemaType(one.items, root)}` : 'list';
  const names = [one.type ?? (one.properties ? 'object' : 'any')].flat().map((name) => WORDS[name] ?? name);
  return one.format ? `${names.join(' or ')} (${one.format})` : names.join(' or ');
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
