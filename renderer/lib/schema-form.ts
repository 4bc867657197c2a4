/** A JSON Schema, limited to the keywords that the form supports. */
export type FormSchema = Record<string, unknown>;

export interface SchemaField {
  name: string;
  kind: 'text' | 'number' | 'flag' | 'choice' | 'group' | 'list' | 'json';
  description: string | undefined;
  isRequired: boolean;
  choices: string[];
  /** Resolved: references followed, null removed. */
  schema: FormSchema;
  /** `date` or `date-time`, if the schema says so. */
  format: string | undefined;
}

/** Resolves a reference with the definitions of the whole schema, and removes `null` from a choice with one other type. */
export function resolveSchema(schema: FormSchema, root: FormSchema): FormSchema {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const name = decodeURIComponent(reference.replace(/^#\/(?:definitions|\$defs)\//, ''));
    const known = (root['definitions'] ?? root['$defs'] ?? {}) as Record<string, FormSchema>;
    const { $ref: _, ...rest } = schema;
    return known[name] ? { ...known[name], ...rest } : rest;
  }
  const among = (schema['anyOf'] ?? schema['oneOf']) as FormSchema[] | undefined;
  const others = among?.filter((one) => one['type'] !== 'null');
  const [only] = others ?? [];
  if (only && others?.length === 1) {
    const { anyOf: _any, oneOf: _one, ...rest } = schema;
    return { ...resolveSchema(only, root), ...rest };
  }
  if (Array.isArray(schema['type'])) {
    const types = (schema['type'] as string[]).filter((type) => type !== 'null');
    if (types.length === 1) return { ...schema, type: types[0] };
  }
  return schema;
}

/** The members of an object schema in order; empty for any other schema. */
export function schemaFieldsOf(schema: FormSchema, root: FormSchema): SchemaField[] {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, FormSchema>; required?: string[] };
  return Object.entries(properties).map(([name, own]) => fieldOf(name, own, root, required.includes(name)));
}

export function fieldOf(name: string, given: FormSchema, root: FormSchema, isRequired: boolean): SchemaField {
  const schema = resolveSchema(given, root);
  const values = schema['const'] === undefined ? schema['enum'] : [schema['const']];
  const choices = Array.isArray(values) && values.every((one) => typeof one === 'string') ? (values as string[]) : [];
  const text = schema['description'] ?? given['description'];
  return {
    name,
    kind: kindOf(schema, choices),
    description: typeof text === 'string' ? text : undefined,
    isRequired,
    choices,
    schema,
    format: typeof schema['format'] === 'string' ? schema['format'] : undefined,
  };
}

function kindOf(schema: FormSchema, choices: string[]): SchemaField['kind'] {
  if (choices.length > 0) return 'choice';
  if (schema['enum'] !== undefined || schema['const'] !== undefined) return 'json';
  switch (schema['type']) {
    case 'string':
      return 'text';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'flag';
    case 'array':
      return 'list';
    case 'object':
      return Object.keys((schema['properties'] as object | undefined) ?? {}).length > 0 ? 'group' : 'json';
    default:
      return 'json';
  }
}

/** A copy of `value` with another member; undefined removes the member. */
export function withMember(value: unknown, name: string, next: unknown): Record<string, unknown> {
  const members = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  const { [name]: _, ...rest } = members as Record<string, unknown>;
  if (next === undefined) return rest;
  return name in members ? { ...(members as Record<string, unknown>), [name]: next } : { ...rest, [name]: next };
}

/** A value that does not fit, with its path: `to.name`, `tags[0]`; empty for the whole value. */
export interface FoundProblem {
  path: string;
  text: string;
}

/** The problems that a form shows for a value of the schema when every missing value counts. */
export function findProblems(schema: FormSchema, value: unknown, root: FormSchema = schema): FoundProblem[] {
  const field = fieldOf('', schema, root, true);
  // A schema that accepts anything accepts nothing, too.
  if (field.kind === 'json' && value === undefined) return [];
  return fieldProblems(field, value, root, '');
}

function fieldProblems(field: SchemaField, value: unknown, root: FormSchema, path: string): FoundProblem[] {
  if (field.kind === 'group' && (value === undefined ? field.isRequired : isSchema(value) && !Array.isArray(value))) {
    const members = (value ?? {}) as Record<string, unknown>;
    return schemaFieldsOf(field.schema, root).flatMap((member) =>
      fieldProblems(member, members[member.name], root, path === '' ? member.name : `${path}.${member.name}`),
    );
  }
  if (field.kind === 'list' && Array.isArray(value)) {
    const items = fieldOf('', (field.schema['items'] ?? {}) as FormSchema, root, false);
    return value.flatMap((item, index) => fieldProblems(items, item, root, `${path}[${index}]`));
  }
  const text = problemOf(field, value);
  return text === undefined ? [] : [{ path, text }];
}

/** The problem of one value, in a sentence; undefined when a form finds none. */
export function problemOf({ isRequired, kind, schema, choices }: SchemaField, value: unknown): string | undefined {
  if (value === undefined) {
    if (!isRequired) return undefined;
    return kind === 'flag' ? 'This is required: tick the box, or tick and clear it for false.' : 'This is required.';
  }
  if (value === null) return undefined;
  const limit = (name: string): number | undefined => (typeof schema[name] === 'number' ? schema[name] : undefined);
  if (kind === 'choice' && !choices.includes(String(value))) return `Choose one of ${choices.join(', ')}.`;
  if (kind === 'number') {
    if (typeof value !== 'number') return 'This has to be a number.';
    if (schema['type'] === 'integer' && !Number.isInteger(value)) return 'This has to be a whole number.';
    const [least, most] = [limit('minimum'), limit('maximum')];
    if (least !== undefined && value < least) return `The minimum is ${least}.`;
    if (most !== undefined && value > most) return `The maximum is ${most}.`;
  }
  if (kind === 'text') {
    if (typeof value !== 'string') return 'This has to be text.';
    const [shortest, longest] = [limit('minLength'), limit('maxLength')];
    if (shortest !== undefined && value.length < shortest) return `At least ${shortest} characters are needed.`;
    if (longest !== undefined && value.length > longest) return `At most ${longest} characters are allowed.`;
    if (schema['format'] === 'date' && !isDate(value)) return 'This has to be a date such as 2026-01-31.';
    if (schema['format'] === 'date-time' && Number.isNaN(Date.parse(value)))
      return 'This has to be a time such as 2026-01-31T12:00:00Z.';
    if (typeof schema['pattern'] === 'string' && !fits(schema['pattern'], value))
      return 'This does not have the expected form.';
  }
  if (kind === 'flag' && typeof value !== 'boolean') return 'This has to be true or false.';
  if (kind === 'list' && !Array.isArray(value)) return 'This has to be a list.';
  if (kind === 'group' && (typeof value !== 'object' || Array.isArray(value))) return 'This has to be an object.';
  return undefined;
}

/** A day of the calendar, as JSON Schema writes it. */
export const isDate = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));

/** Whether the schema accepts a text; a schema without a type accepts everything. */
export function takesText(schema: FormSchema): boolean {
  const among = (schema['anyOf'] ?? schema['oneOf']) as FormSchema[] | undefined;
  if (among) return among.some(takesText);
  const values = schema['const'] === undefined ? schema['enum'] : [schema['const']];
  if (Array.isArray(values)) return values.some((one) => typeof one === 'string');
  return schema['type'] === undefined || [schema['type']].flat().includes('string');
}

function fits(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    // A pattern of another dialect: the function itself validates the value.
    return true;
  }
}

/** Texts of a format; of another one a plain word stands. */
export const FORMAT_EXAMPLES: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '12:00:00Z',
  email: 'user@example.com',
  uri: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
};

const MAX_EXAMPLE_DEPTH = 6;

/** A value with everything that the schema requires, within its limits; the schema's examples and defaults take precedence. */
export function exampleOf(given: FormSchema, root: FormSchema, depth = 0): unknown {
  const schema = resolveSchema(given, root);
  const examples = schema['examples'];
  const sample = schema['default'] ?? schema['const'] ?? (Array.isArray(examples) ? examples[0] : undefined);
  if (sample !== undefined) return sample;
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const { kind, format } = fieldOf('', schema, root, true);
  if (kind === 'number') return exampleNumber(schema);
  if (kind === 'flag') return false;
  if (kind === 'text') return FORMAT_EXAMPLES[format ?? ''] ?? exampleText(schema);
  if (depth > MAX_EXAMPLE_DEPTH) return kind === 'list' ? [] : schema['type'] === 'object' ? {} : null;
  if (kind === 'list') {
    const items = schema['items'];
    const count = limitOf(schema, 'minItems') ?? 0;
    return Array.from({ length: count }, () => exampleOf(isSchema(items) ? items : {}, root, depth + 1));
  }
  if (kind === 'json') {
    const [first] = [schema['oneOf'] ?? schema['anyOf']].flat();
    if (isSchema(first)) return exampleOf(first, root, depth + 1);
    return schema['type'] === 'object' ? {} : null;
  }
  const required = schemaFieldsOf(schema, root).filter((field) => field.isRequired);
  return Object.fromEntries(required.map((field) => [field.name, exampleOf(field.schema, root, depth + 1)]));
}

const isSchema = (value: unknown): value is FormSchema => typeof value === 'object' && value !== null;

function limitOf(schema: FormSchema, name: string): number | undefined {
  return typeof schema[name] === 'number' ? schema[name] : undefined;
}

/** No text is generated from a pattern: the form shows where the text does not match it. */
function exampleText(schema: FormSchema): string {
  const shortest = limitOf(schema, 'minLength') ?? 0;
  return 'text'.padEnd(shortest, 't').slice(0, limitOf(schema, 'maxLength'));
}

/** One, or the nearest number within the limits. */
function exampleNumber(schema: FormSchema): number {
  const step = limitOf(schema, 'multipleOf') ?? 1;
  const above = limitOf(schema, 'exclusiveMinimum');
  const below = limitOf(schema, 'exclusiveMaximum');
  const least = limitOf(schema, 'minimum') ?? (above === undefined ? undefined : above + step);
  const most = limitOf(schema, 'maximum') ?? (below === undefined ? undefined : below - step);
  const start = Math.min(Math.max(1, least ?? 1), most ?? Number.POSITIVE_INFINITY);
  return schema['multipleOf'] === undefined ? start : Math.ceil(start / step) * step;
}
