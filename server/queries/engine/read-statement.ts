import { isJsonObject } from '../../platform/lib/json-object.ts';
import { QueryError } from './query-error.ts';

/** A table or view that a statement names. */
export interface NamedTable {
  schema: string | undefined;
  name: string;
}

/**
 * Table functions that compute rows from their arguments. All others are refused: they read files, run further
 * statements, or change the engine.
 */
const TABLE_FUNCTIONS = new Set([
  ...['generate_series', 'json_each', 'json_tree', 'range', 'repeat', 'repeat_row', 'unnest', 'pragma_version'],
  ...['duckdb_columns', 'duckdb_functions', 'duckdb_keywords', 'duckdb_schemas', 'duckdb_types', 'duckdb_views'],
]);
/** Functions of values with effects beyond their result. */
const REFUSED_FUNCTIONS = new Set(['currval', 'nextval', 'setseed', 'write_log', 'getenv', 'sleep_ms']);
const OWN_CATALOGS = new Set(['memory', 'system', 'temp']);
/** Types of nodes: all columns, columns by number, and errors that are taken as nulls. */
const READS_ALL = ['star', 'positional_reference', 'operator_try'];
/** The database of the tables behind the views. */
const INNER_DATABASE = 'data';

export interface ReadStatement {
  tables: NamedTable[];
  /** Every name and text in the statement, in lower case: a column that is not among them is not read. Null: it may read all. */
  words: ReadonlySet<string> | null;
}

/**
 * Reads the engine's own parse of a statement (`json_serialize_sql`). Returns what it names, and throws QueryError when it
 * is more than one statement that reads.
 */
export function readStatement(serialized: string): ReadStatement {
  const parsed = JSON.parse(serialized) as {
    error?: boolean;
    error_type?: string;
    error_message?: string;
    statements?: unknown[];
  };
  if (parsed.error)
    throw parsed.error_type === 'parser'
      ? new QueryError(
          'query_failed', // The engine escapes its words for JSON twice.
          `Parser Error: ${(parsed.error_message ?? 'the statement cannot be read').replaceAll('\\"', '"')}`,
        )
      : new QueryError(
          'query_refused',
          'Only a statement that reads can run here: SELECT, FROM, VALUES, DESCRIBE, SUMMARIZE or SHOW.',
        );
  const { statements = [] } = parsed;
  if (statements.length !== 1)
    throw new QueryError(
      'query_refused',
      statements.length === 0 ? 'The statement is empty.' : 'Send one statement at a time.',
    );
  const tables: NamedTable[] = [];
  const words = new Set<string>();
  visit(statements[0], tables, words);
  return { tables, words: READS_ALL.some((type) => words.has(type)) ? null : words };
}

function visit(node: unknown, tables: NamedTable[], words: Set<string>): void {
  if (Array.isArray(node)) {
    for (const item of node) visit(item, tables, words);
    return;
  }
  if (typeof node === 'string') words.add(node.toLowerCase());
  if (!isJsonObject(node)) return;
  if (node['type'] === 'BASE_TABLE') tables.push(tableOf(node));
  if (node['type'] === 'TABLE_FUNCTION') checkTableFunction(node['function']);
  else if (node['class'] === 'FUNCTION') checkFunction(node);
  for (const value of Object.values(node)) visit(value, tables, words);
}

function tableOf(node: Record<string, unknown>): NamedTable {
  const { catalog_name: catalog, schema_name: schema, table_name: name } = node;
  const outside = [catalog, schema].find(
    (part) =>
      typeof part === 'string' &&
      part !== '' &&
      (part === catalog ? !OWN_CATALOGS.has(part.toLowerCase()) : part.toLowerCase() === INNER_DATABASE),
  );
  if (outside !== undefined)
    throw new QueryError('query_refused', `There is no database "${outside}" here. Name a view as integration.model.`);
  return { schema: typeof schema === 'string' ? schema : undefined, name: String(name) };
}

function checkTableFunction(node: unknown): void {
  const name = isJsonObject(node) ? String(node['function_name']).toLowerCase() : '';
  if (!TABLE_FUNCTIONS.has(name))
    throw new QueryError(
      'query_refused',
      `The function ${name} cannot be used here: a query reads the views of this environment and nothing else, no files and no network.`,
    );
}

function checkFunction(node: Record<string, unknown>): void {
  const name = String(node['function_name']).toLowerCase();
  if (REFUSED_FUNCTIONS.has(name))
    throw new QueryError('query_refused', `The function ${name} cannot be used here: a query only reads.`);
}
