import type { Migration } from './migration.ts';

const WAITING_JOB = "state = 'created'";
const WAITING_SCHEDULE = "state = 'started' AND live_job_id IS NULL";

/** Jobs of a partition, stored as `lane`, take turns with those of other partitions: a sync's is its integration. */
export const jobPartitions: Migration = {
  id: '0014-job-lanes',
  breaking: false,
  statements: [
    `ALTER TABLE jobs ADD COLUMN lane TEXT NOT NULL DEFAULT ''`,
    `ALTER TABLE schedules ADD COLUMN lane TEXT NOT NULL DEFAULT ''`,
    `UPDATE schedules SET lane = COALESCE((SELECT CAST(integration_id AS TEXT) FROM syncs WHERE syncs.id = schedules.id), '')`,
    `UPDATE jobs SET lane = COALESCE((SELECT lane FROM schedules WHERE schedules.id = jobs.schedule_id), '')`,
    `CREATE INDEX jobs_due_by_lane ON jobs (kind, lane, run_at, id) WHERE ${WAITING_JOB}`,
    `CREATE INDEX schedules_due_by_lane ON schedules (kind, lane, next_execution_at) WHERE ${WAITING_SCHEDULE}`,
  ],
};
