/** Where records go on their own (http-api.md 11.4). Released: a later change is a step in `server/schema`. */
export const destinationTables: readonly string[] = [
  // `secret` is sealed, `settings` and `position` are JSON. `job_id` is the one job of the destination; null while it is
  // paused. Times of records are microseconds, others milliseconds.
  `CREATE TABLE record_destinations (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('postgres', 'ndjson', 'http')),
      settings TEXT NOT NULL,
      secret TEXT NOT NULL,
      job_id INTEGER,
      is_paused INTEGER NOT NULL DEFAULT 0,
      generation INTEGER NOT NULL,
      replay_from INTEGER,
      position TEXT NOT NULL DEFAULT '{}',
      failures INTEGER NOT NULL DEFAULT 0,
      error_code TEXT,
      error TEXT,
      failed_at INTEGER,
      next_at INTEGER,
      delivered INTEGER NOT NULL DEFAULT 0,
      delivered_at INTEGER,
      checked_at INTEGER,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (environment_id, name)
    ) STRICT`,
  // How far each stream of records was delivered, and what its rows are called there.
  `CREATE TABLE record_destination_streams (
      destination_seq INTEGER NOT NULL REFERENCES record_destinations (seq) ON DELETE CASCADE,
      stream_id INTEGER NOT NULL,
      integration_key TEXT NOT NULL,
      model TEXT NOT NULL,
      connection_id TEXT NOT NULL,
      variant TEXT NOT NULL,
      cursor INTEGER NOT NULL,
      delivered INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (destination_seq, stream_id)
    ) STRICT, WITHOUT ROWID`,
];
