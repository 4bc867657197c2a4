import type { Migration } from './migration.ts';

/**
 * Jobs are selected group by group, so that jobs of groups without a free slot are not read. A job counts how often the
 * end of the program interrupted it. Jobs that ended without their handler are kept until their kind got the report.
 */
export const jobGroups: Migration = {
  id: '0018-job-groups',
  breaking: false,
  statements: [
    `CREATE INDEX jobs_due_by_group ON jobs (kind, group_key, run_at, id) WHERE state = 'created'`,
    'ALTER TABLE jobs ADD COLUMN interruptions INTEGER NOT NULL DEFAULT 0',
    `CREATE TABLE job_reports (
      job_id INTEGER PRIMARY KEY,
      kind TEXT NOT NULL,
      group_key TEXT NOT NULL,
      payload TEXT NOT NULL,
      schedule_id TEXT,
      attempt INTEGER NOT NULL,
      max_attempts INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      reason TEXT NOT NULL CHECK (reason IN ('expired', 'interrupted', 'failed'))
    ) STRICT`,
  ],
};
