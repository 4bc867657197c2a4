/** A statement of `sqlite_schema` to compare: SQLite keeps its text, and edits it when something is added or renamed. */
export function normalSql(sql: string): string {
  return sql
    .replace(/\s+/g, ' ')
    .replace(/"(\w+)"/g, '$1')
    .replace(/ ?([(),]) ?/g, '$1');
}
