/** The records of syncs, their earlier versions, and where a sync continues. Times of records are microseconds since the epoch. */
export const recordTables: readonly string[] = [
  `CREATE TABLE checkpoints (
      connection_row_id INTEGER NOT NULL,
      key TEXT NOT NULL,
      value TEXT NOT NULL,
      version INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      deleted_at INTEGER,
      PRIMARY KEY (connection_row_id, key)
    ) WITHOUT ROWID`,
  // The records of one model of a connection.
  `CREATE TABLE record_streams (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      connection_row_id INTEGER NOT NULL,
      model TEXT NOT NULL,
      variant TEXT NOT NULL,
      live_count INTEGER NOT NULL DEFAULT 0,
      pruned_until INTEGER NOT NULL DEFAULT 0,
      retired INTEGER NOT NULL DEFAULT 0,
      history_since INTEGER NOT NULL DEFAULT 0
    )`,
  `CREATE UNIQUE INDEX record_streams_current
      ON record_streams (connection_row_id, model, variant)
      WHERE retired = 0`,
  'CREATE INDEX record_streams_retired ON record_streams (id) WHERE retired = 1',
  'CREATE INDEX record_streams_history ON record_streams (history_since) WHERE history_since <> 0',
  // Small rows, in the order of their external ids.
  `CREATE TABLE records (
      stream_id INTEGER NOT NULL,
      external_id TEXT NOT NULL,
      hash TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      deleted_at INTEGER,
      pruned_at INTEGER,
      seen_job_id INTEGER NOT NULL,
      payload_id INTEGER NOT NULL,
      PRIMARY KEY (stream_id, external_id)
    ) WITHOUT ROWID`,
  'CREATE INDEX records_by_change ON records (stream_id, updated_at)',
  // Apart from `records`, so that marking an unchanged record as seen does not rewrite it.
  `CREATE TABLE record_payloads (
      id INTEGER PRIMARY KEY,
      sealed BLOB NOT NULL
    )`,
  `CREATE TABLE record_clock (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      last_stamp INTEGER NOT NULL,
      last_payload_id INTEGER NOT NULL
    )`,
  'INSERT INTO record_clock (only, last_stamp, last_payload_id) VALUES (1, 0, 0)',
  // Models whose history is kept.
  `CREATE TABLE record_histories (
      integration_id INTEGER NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
      model TEXT NOT NULL,
      most_versions INTEGER NOT NULL CHECK (most_versions > 0),
      most_days INTEGER NOT NULL CHECK (most_days > 0),
      PRIMARY KEY (integration_id, model)
    ) STRICT, WITHOUT ROWID`,
  // Earlier versions. A version names a payload and does not copy it; every payload belongs to one version at most.
  `CREATE TABLE record_versions (
      stream_id INTEGER NOT NULL,
      external_id TEXT NOT NULL,
      stamp INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      is_deleted INTEGER NOT NULL,
      payload_id INTEGER NOT NULL,
      job_id INTEGER,
      operation_id TEXT,
      is_cut INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (stream_id, external_id, stamp)
    ) STRICT, WITHOUT ROWID`,
];
