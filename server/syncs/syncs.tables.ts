/** Syncs and their runs. */
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
];
