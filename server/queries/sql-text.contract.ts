/** How names of views and columns are written in a statement. */

/** Where the views of the hub itself are; an integration of that name gets another schema. */
export const HUB_SCHEMA = 'homeport';

/** A name with other characters than these, and a reserved word, stands in double quotes. */
export const sqlName = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) && !RESERVED.has(name.toLowerCase()) ? name : `"${name.replaceAll('"', '""')}"`;

export const sqlView = ({ schema, name }: { schema: string; name: string }): string =>
  `${sqlName(schema)}.${sqlName(name)}`;

/** Words that DuckDB reserves, or takes for a part of its grammar (`duckdb_keywords()`). */
const RESERVED = new Set(
  (
    'all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create default ' +
    'deferrable desc describe distinct do else end except false fetch for foreign from group having in initially ' +
    'intersect into lambda lateral leading limit not null offset on only or order pivot pivot_longer pivot_wider ' +
    'placing primary qualify references returning select show some summarize symmetric table then to trailing true ' +
    'union unique unpivot using variadic when where window with anti asof at authorization binary by collation columns ' +
    'concurrently cross freeze full generated glob ilike inner is isnull join left like map natural notnull outer ' +
    'overlaps positional right semi similar struct tablesample try_cast unpack verbose'
  ).split(' '),
);

/** A value of a placeholder as a person types it: numbers, true, false and null are such, the rest is text. */
export function sqlValueOf(text: string): string | number | boolean | null {
  if (text === 'null') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Names of the placeholders `$name` of a statement, outside of texts and comments. */
export function placeholdersOf(sql: string): string[] {
  const found = [...sql.matchAll(/'[^']*'|"[^"]*"|--.*|\$([A-Za-z_]\w*)/g)];
  return [...new Set(found.flatMap(([, name]) => name ?? []))];
}
