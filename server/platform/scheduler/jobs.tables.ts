/** The job queue, its schedules, and locks. */
export const jobTables: readonly string[] = [
  `CREATE TABLE schedules (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      job_group TEXT NOT NULL,
      payload TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('started', 'paused')),
      starts_at INTEGER NOT NULL,
      frequency_ms INTEGER NOT NULL CHECK (frequency_ms > 0),
      next_execution_at INTEGER NOT NULL,
      live_job_id INTEGER,
      job_partition TEXT NOT NULL DEFAULT ''
    ) WITHOUT ROWID`,
  `CREATE INDEX schedules_due
      ON schedules (kind, next_execution_at)
      WHERE state = 'started' AND live_job_id IS NULL`,
  `CREATE INDEX schedules_due_by_partition
      ON schedules (kind, job_partition, next_execution_at)
      WHERE state = 'started' AND live_job_id IS NULL`,
  // Jobs are selected group by group, so that jobs of groups without a free slot are not read. Jobs of a partition
  // take turns with those of other partitions: a sync's is its integration. `interruptions`: how often the end of
  // the program interrupted it.
  `CREATE TABLE jobs (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL,
      job_group TEXT NOT NULL,
      payload TEXT NOT NULL,
      schedule_id TEXT,
      state TEXT NOT NULL CHECK (state IN ('created', 'started', 'cancelled')),
      attempt INTEGER NOT NULL,
      max_attempts INTEGER NOT NULL,
      run_at INTEGER NOT NULL,
      start_before INTEGER,
      created_at INTEGER NOT NULL,
      started_at INTEGER,
      job_partition TEXT NOT NULL DEFAULT '',
      interruptions INTEGER NOT NULL DEFAULT 0
    )`,
  `CREATE UNIQUE INDEX jobs_one_live_per_schedule
      ON jobs (schedule_id)
      WHERE schedule_id IS NOT NULL AND state IN ('created', 'started')`,
  `CREATE INDEX jobs_due ON jobs (kind, run_at, id) WHERE state = 'created'`,
  `CREATE INDEX jobs_expiring ON jobs (start_before) WHERE state = 'created' AND start_before IS NOT NULL`,
  `CREATE INDEX jobs_taken ON jobs (state) WHERE state <> 'created'`,
  `CREATE INDEX jobs_due_by_partition ON jobs (kind, job_partition, run_at, id) WHERE state = 'created'`,
  `CREATE INDEX jobs_due_by_group ON jobs (kind, job_group, run_at, id) WHERE state = 'created'`,
  // Jobs that ended without their handler, kept until their kind got the report.
  `CREATE TABLE job_reports (
      job_id INTEGER PRIMARY KEY,
      kind TEXT NOT NULL,
      job_group TEXT NOT NULL,
      payload TEXT NOT NULL,
      schedule_id TEXT,
      attempt INTEGER NOT NULL,
      max_attempts INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      reason TEXT NOT NULL CHECK (reason IN ('expired', 'interrupted', 'failed'))
    ) STRICT`,
  `CREATE TABLE locks (
      environment_id INTEGER NOT NULL,
      key TEXT NOT NULL,
      owner TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      PRIMARY KEY (environment_id, key)
    ) WITHOUT ROWID`,
  'CREATE INDEX locks_by_owner ON locks (owner)',
];
