import { isJsonObject } from '../../platform/lib/json-object.ts';

/** A column of a view, filled from one member of the records. */
export interface ModelColumn {
  member: string;
  name: string;
  /** A type of DuckDB. */
  type: string;
}

/** Columns that every view has beside the model's own. */
export const OWN_COLUMNS = [
  '_id',
  '_connection',
  '_variant',
  '_end_user',
  '_tags',
  '_first_seen',
  '_last_changed',
  '_deleted',
  '_record',
  'valid_from',
  'valid_to',
];
/** As many as the columns of a SQLite export. */
const MOST_COLUMNS = 200;

/** The columns of a model with a JSON schema; undefined when the schema does not name the members. */
export function columnsOfSchema(
  schema: unknown,
  definitions: Readonly<Record<string, unknown>>,
): ModelColumn[] | undefined {
  const properties = resolve(schema, definitions)['properties'];
  if (!isJsonObject(properties) || Object.keys(properties).length === 0) return undefined;
  return named(Object.entries(properties).map(([member, value]) => [member, typeOf(value, definitions)]));
}

/** The columns of records without a schema, from the structure that the engine found in some of them. */
export function columnsOfStructure(structure: unknown): ModelColumn[] {
  if (!isJsonObject(structure)) return [];
  return named(
    Object.entries(structure).map(([member, type]) => [
      member,
      typeof type !== 'string' || type === 'NULL' ? 'JSON' : type === 'UBIGINT' ? 'BIGINT' : type,
    ]),
  );
}

/** Names of columns ignore case, so a second spelling of a member has none. */
function named(members: Array<[string, string]>): ModelColumn[] {
  const taken = new Set(OWN_COLUMNS);
  const columns: ModelColumn[] = [];
  for (const [member, type] of members) {
    const key = member.toLowerCase();
    if (key === '' || taken.has(key) || member.includes('\0') || columns.length === MOST_COLUMNS) continue;
    taken.add(key);
    columns.push({ member, name: member, type });
  }
  return columns;
}

function resolve(schema: unknown, definitions: Readonly<Record<string, unknown>>): Record<string, unknown> {
  let found = schema;
  // A reference to a reference is possible; a circle is not a schema.
  for (let depth = 0; depth < 10 && isJsonObject(found) && typeof found['$ref'] === 'string'; depth += 1)
    found = definitions[decodeURIComponent(found['$ref'].split('/').at(-1) ?? '')];
  return isJsonObject(found) ? found : {};
}

function typeOf(value: unknown, definitions: Readonly<Record<string, unknown>>): string {
  const schema = resolve(value, definitions);
  const choices = [schema['anyOf'], schema['oneOf']].find(Array.isArray);
  if (choices) {
    const types = new Set(choices.filter((one) => !isNull(one)).map((one) => typeOf(one, definitions)));
    return onlyOne(types) ?? 'JSON';
  }
  const literals = Array.isArray(schema['enum']) ? schema['enum'] : 'const' in schema ? [schema['const']] : undefined;
  if (literals && schema['type'] === undefined)
    return onlyOne(new Set(literals.filter((one) => one !== null).map(typeOfLiteral))) ?? 'JSON';
  const types = [schema['type']].flat().filter((type) => type !== 'null');
  const [type] = types;
  if (types.length !== 1) return 'JSON';
  if (type === 'string') return typeOfText(schema['format']);
  if (type === 'integer') return 'BIGINT';
  if (type === 'number') return 'DOUBLE';
  return type === 'boolean' ? 'BOOLEAN' : 'JSON';
}

const isNull = (schema: unknown): boolean => isJsonObject(schema) && schema['type'] === 'null';

function onlyOne(types: ReadonlySet<string>): string | undefined {
  const [first, second] = types;
  return second === undefined ? first : undefined;
}

function typeOfLiteral(value: unknown): string {
  if (typeof value === 'string') return 'VARCHAR';
  if (typeof value === 'boolean') return 'BOOLEAN';
  return typeof value === 'number' ? 'DOUBLE' : 'JSON';
}

function typeOfText(format: unknown): string {
  if (format === 'date-time') return 'TIMESTAMPTZ';
  return format === 'date' ? 'DATE' : 'VARCHAR';
}
