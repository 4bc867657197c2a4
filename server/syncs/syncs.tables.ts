/** Syncs, their runs, checkpoints and locks, and the record cache. Times of records are microseconds since the epoch. */
export const syncTables: readonly string[] = [
  // `was_started`: whether its schedule continues when the missing file of its function exists again.
  `CREATE TABLE syncs (
      row_id INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      environment_id INTEGER NOT NULL,
      integration_id INTEGER NOT NULL,
      connection_row_id INTEGER NOT NULL,
      connection_id TEXT NOT NULL,
      name TEXT NOT NULL,
      variant TEXT NOT NULL,
      frequency TEXT,
      last_sync_date INTEGER,
      latest_job_id INTEGER,
      created_at INTEGER NOT NULL,
      deleted_at INTEGER,
      was_started INTEGER,
      UNIQUE (connection_row_id, name, variant)
    )`,
  'CREATE INDEX syncs_by_integration ON syncs (integration_id, name, variant)',
  'CREATE INDEX syncs_by_latest_job ON syncs (latest_job_id) WHERE latest_job_id IS NOT NULL',
  `CREATE TABLE sync_jobs (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      sync_row_id INTEGER NOT NULL,
      type TEXT NOT NULL CHECK (type IN ('FULL', 'INCREMENTAL')),
      status TEXT NOT NULL CHECK (status IN ('RUNNING', 'SUCCESS', 'STOPPED')),
      result TEXT NOT NULL,
      log_id TEXT NOT NULL,
      error TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    )`,
  'CREATE INDEX sync_jobs_by_sync ON sync_jobs (sync_row_id, id)',
  `CREATE INDEX sync_jobs_running ON sync_jobs (status) WHERE status = 'RUNNING'`,
  `CREATE TABLE checkpoints (
      connection_row_id INTEGER NOT NULL,
      key TEXT NOT NULL,
      value TEXT NOT NULL,
      version INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      deleted_at INTEGER,
      PRIMARY KEY (connection_row_id, key)
    ) WITHOUT ROWID`,
  `CREATE TABLE locks (
      environment_id INTEGER NOT NULL,
      key TEXT NOT NULL,
      owner TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      PRIMARY KEY (environment_id, key)
    ) WITHOUT ROWID`,
  'CREATE INDEX locks_by_owner ON locks (owner)',
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
