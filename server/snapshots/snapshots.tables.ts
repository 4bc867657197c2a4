/** Folders of Parquet files (http-api.md 11.2). */
export const snapshotTables: readonly string[] = [
  // `files` is JSON: what the last runs wrote. Times are milliseconds.
  `CREATE TABLE snapshots (
      environment_id INTEGER PRIMARY KEY REFERENCES environments (id) ON DELETE CASCADE,
      folder TEXT NOT NULL,
      every TEXT NOT NULL CHECK (every IN ('sync', 'hour', 'day', 'week')),
      has_history INTEGER NOT NULL,
      files TEXT NOT NULL DEFAULT '[]',
      problem TEXT,
      next_at INTEGER,
      last_at INTEGER
    ) STRICT`,
];
