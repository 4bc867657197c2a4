/** Statements that people keep, by environment. */
export const savedQueryTables: readonly string[] = [
  `CREATE TABLE saved_queries (
      id TEXT PRIMARY KEY,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      name TEXT NOT NULL COLLATE NOCASE,
      sql TEXT NOT NULL,
      params TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (environment_id, name)
    ) STRICT, WITHOUT ROWID`,
];
