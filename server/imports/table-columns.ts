import { readExactJson } from '../platform/lib/exact-json.ts';
import { isJsonObject } from '../platform/lib/json-object.ts';
import { columnsOfSchema } from '../queries/engine/model-columns.ts';
import type { CsvCell } from './csv-rows.ts';
import { EXPORT_MEMBERS, MORE_COLUMN } from './record-rows.ts';

/** Types of columns; those of a schema are types of DuckDB. */
export type ColumnTypes = ReadonlyMap<string, string>;

type Row = Record<string, unknown>;

export function typesOfSchema(schema: Row): ColumnTypes {
  const definitions = isJsonObject(schema['definitions']) ? schema['definitions'] : {};
  return new Map((columnsOfSchema(schema, definitions) ?? []).map(({ member, type }) => [member, type]));
}

/** A number as JSON writes it, so that no digit is lost. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const isOf: ReadonlyMap<string, (cell: string) => boolean> = new Map([
  ['BOOLEAN', (cell) => cell === 'true' || cell === 'false'],
  ['DOUBLE', (cell) => NUMBER.test(cell) && String(Number(cell)) === cell],
  ['JSON', (cell) => /^[[{]/.test(cell) && readExactJson(cell) !== undefined],
]);

/**
 * Finds the types of the columns of a table without a schema: a column holds numbers, booleans or JSON when all its
 * cells do. Numbers must come back as they are written: `007` and digits beyond 2^53 are text.
 */
export function createTypeFinder() {
  const possible = new Map<string, string[]>();
  return {
    note(cells: Row): void {
      for (const [name, cell] of Object.entries(cells)) {
        if (typeof cell !== 'string') continue;
        const types = possible.get(name) ?? [...isOf.keys()];
        possible.set(name, types.length === 0 ? types : types.filter((type) => isOf.get(type)?.(cell)));
      }
    },
    get types(): ColumnTypes {
      const kept = [...possible].filter(([name]) => name !== 'id' && !EXPORT_MEMBERS.includes(name));
      return new Map(kept.map(([name, [type = 'VARCHAR']]) => [name, type]));
    },
  };
}

/** A row of a CSV file with values in the place of texts. A cell that is not of its type stays text. */
export function readCells(cells: Row, types: ColumnTypes): Row {
  const isExport = EXPORT_MEMBERS.every((name) => name in cells);
  const entries = Object.entries(cells as Record<string, CsvCell>).map(([name, cell]): [string, unknown] => {
    if (cell === null) return [name, null];
    // An export puts an apostrophe before text that a spreadsheet would take for a formula.
    const text = isExport && /^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
    return [name, cellValue(text, isExport && name === MORE_COLUMN ? 'JSON' : types.get(name))];
  });
  return Object.fromEntries(entries);
}

/** A row of a Parquet file: nested values that are texts there are JSON where the schema has no text. */
export function readNested(row: Row, types: ColumnTypes): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && /^[[{]/.test(value) ? cellValue(value, types.get(name)) : value,
    ]),
  );
}

function cellValue(text: string, type: string | undefined): unknown {
  if (type === 'BOOLEAN') return /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text;
  if (type === 'BIGINT' || type === 'DOUBLE') return NUMBER.test(text) ? readExactJson(text) : text;
  if (type === 'JSON') {
    const value = readExactJson(text);
    return value === undefined ? text : value;
  }
  return text;
}

/** Whether a schema of a member takes null. */
function takesNull(schema: unknown): boolean {
  if (!isJsonObject(schema)) return schema === true;
  const { type, anyOf, oneOf, enum: values, const: only } = schema;
  const choices = [anyOf, oneOf].find(Array.isArray);
  if (choices) return choices.some(takesNull);
  if (Array.isArray(values)) return values.includes(null);
  if (only !== undefined) return only === null;
  return type === undefined ? schema['$ref'] === undefined : [type].flat().includes('null');
}

/**
 * A record of a table, in which an empty cell may stand for null, for a member that is not there, or for a text of no
 * characters: the schema decides. Without a schema it is null.
 */
export function withoutEmptyCells(record: Row, schema: Row | undefined, types: ColumnTypes): Row {
  const properties = schema && isJsonObject(schema['properties']) ? schema['properties'] : undefined;
  if (!properties) return record;
  const required = Array.isArray(schema?.['required']) ? schema['required'] : [];
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      if (value !== null || takesNull(properties[name] ?? true)) return [[name, value]];
      if (!required.includes(name)) return [];
      return [[name, types.get(name) === 'VARCHAR' ? '' : null]];
    }),
  );
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/**
 * Whether a record of a table says what the stored record says: tables know no missing members, and no difference
 * between a text of digits and a number where no schema says it. Times may be written in another way.
 */
export function saysTheSame(stored: unknown, given: unknown): boolean {
  if (stored === given) return true;
  if (stored === null || stored === undefined || given === null || given === undefined)
    return (stored ?? null) === (given ?? null);
  if (Array.isArray(stored) || Array.isArray(given))
    return (
      Array.isArray(stored) &&
      Array.isArray(given) &&
      stored.length === given.length &&
      stored.every((one, index) => saysTheSame(one, given[index]))
    );
  if (isPlainObject(stored) && isPlainObject(given))
    return [...new Set([...Object.keys(stored), ...Object.keys(given)])].every((name) =>
      saysTheSame(stored[name], given[name]),
    );
  if (isPlainObject(stored) || isPlainObject(given)) return false;
  const [a, b] = [scalarText(stored), scalarText(given)];
  return a === b || (ISO_TIME.test(a) && ISO_TIME.test(b) && Date.parse(a) === Date.parse(b));
}

const isPlainObject = (value: unknown): value is Row => isJsonObject(value) && !JSON.isRawJSON(value);
const scalarText = (value: unknown): string => (JSON.isRawJSON(value) ? value.rawJSON : String(value));
