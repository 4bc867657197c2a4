import { COUNTED_DURATION, IS_RUN } from './0040-operation-counts.ts';
import type { Migration } from './migration.ts';

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
/** Counts of runs by quarter of an hour are kept this long. */
const KEPT_MS = 25 * 3_600_000;

/**
 * Data of the charts of the overview that is not in the log (ui.md 6.2): how long runs took by the quarter of an hour
 * too, which records a run added, updated and deleted, and how large the database was. Counts of runs are kept by slot
 * first, because every reader selects a period.
 */
export const activityCounts: Migration = {
  id: '0045-activity-counts',
  breaking: false,
  statements: [
    'ALTER TABLE run_counts RENAME TO run_counts_by_day',
    `CREATE TABLE run_counts (
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      slot_ms INTEGER NOT NULL,
      slot INTEGER NOT NULL,
      integration_key TEXT NOT NULL,
      type TEXT NOT NULL,
      function_name TEXT NOT NULL,
      has_failed INTEGER NOT NULL,
      duration_ms INTEGER NOT NULL,
      runs INTEGER NOT NULL,
      PRIMARY KEY (environment_id, slot_ms, slot, integration_key, type, function_name, has_failed, duration_ms)
    ) STRICT, WITHOUT ROWID`,
    `INSERT INTO run_counts
       (environment_id, slot_ms, slot, integration_key, type, function_name, has_failed, duration_ms, runs)
     SELECT environment_id, ${DAY_MS}, slot, integration_key, type, function_name, has_failed, duration_ms, runs
     FROM run_counts_by_day`,
    'DROP TABLE run_counts_by_day',
    `INSERT INTO run_counts
       (environment_id, slot_ms, slot, integration_key, type, function_name, has_failed, duration_ms, runs)
     SELECT environment_id, ${QUARTER_MS}, created_at / ${QUARTER_MS} * ${QUARTER_MS}, integration_key, type,
       function_name, state <> 'success', ${COUNTED_DURATION}, count(*)
     FROM log_operations
     WHERE integration_key IS NOT NULL AND state IN ('success', 'failed', 'timeout') AND ${IS_RUN}
       AND environment_id IN (SELECT id FROM environments)
       AND created_at >= (SELECT max(created_at) FROM log_operations) - ${KEPT_MS}
     GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`,
    `CREATE TABLE record_counts (
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      slot_ms INTEGER NOT NULL,
      slot INTEGER NOT NULL,
      added INTEGER NOT NULL,
      updated INTEGER NOT NULL,
      deleted INTEGER NOT NULL,
      PRIMARY KEY (environment_id, slot_ms, slot)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE size_samples (
      slot INTEGER PRIMARY KEY CHECK (slot % ${QUARTER_MS} = 0),
      bytes INTEGER NOT NULL
    ) STRICT`,
  ],
};
