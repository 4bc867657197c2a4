import type { Migration } from './migration.ts';

/** The job queue, its schedules, and what belongs to a sync: its row, its runs, checkpoints and locks. */
export const jobsAndSyncs: Migration = {
  id: '0004-jobs-and-syncs',
  breaking: false,
  statements: [
    `CREATE TABLE jobs (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL,
      group_key TEXT NOT NULL,
      payload TEXT NOT NULL,
      schedule_id TEXT,
      state TEXT NOT NULL CHECK (state IN ('created', 'started', 'cancelled')),
      attempt INTEGER NOT NULL,
      max_attempts INTEGER NOT NULL,
      run_at INTEGER NOT NULL,
      start_before INTEGER,
      created_at INTEGER NOT NULL,
      started_at INTEGER
    )`,
    `CREATE UNIQUE INDEX jobs_one_live_per_schedule ON jobs (schedule_id)
      WHERE schedule_id IS NOT NULL AND state IN ('created', 'started')`,
    `CREATE INDEX jobs_due ON jobs (kind, run_at, id) WHERE state = 'created'`,
    `CREATE INDEX jobs_expiring ON jobs (start_before) WHERE state = 'created' AND start_before IS NOT NULL`,
    `CREATE INDEX jobs_taken ON jobs (state) WHERE state <> 'created'`,
    `CREATE TABLE schedules (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      group_key TEXT NOT NULL,
      payload TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('started', 'paused')),
      starts_at INTEGER NOT NULL,
      frequency_ms INTEGER NOT NULL CHECK (frequency_ms > 0),
      next_execution_at INTEGER NOT NULL,
      live_job_id INTEGER
    ) WITHOUT ROWID`,
    `CREATE INDEX schedules_due ON schedules (kind, next_execution_at) WHERE state = 'started' AND live_job_id IS NULL`,
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
      UNIQUE (connection_row_id, name, variant)
    )`,
    `CREATE INDEX syncs_by_integration ON syncs (integration_id, name, variant)`,
    `CREATE INDEX syncs_by_latest_job ON syncs (latest_job_id) WHERE latest_job_id IS NOT NULL`,
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
    `CREATE INDEX sync_jobs_by_sync ON sync_jobs (sync_row_id, id)`,
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
    `CREATE INDEX locks_by_owner ON locks (owner)`,
  ],
};
