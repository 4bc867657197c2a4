import type { Migration } from './migration.ts';

/** Durations are rounded to 35 different values for each power of ten, which is accurate enough for lists. */
const STEP = `CASE WHEN duration_ms < 20 THEN 1 WHEN duration_ms < 50 THEN 2 WHEN duration_ms < 100 THEN 5
  WHEN duration_ms < 200 THEN 10 WHEN duration_ms < 500 THEN 20 WHEN duration_ms < 1000 THEN 50
  WHEN duration_ms < 2000 THEN 100 WHEN duration_ms < 5000 THEN 200 WHEN duration_ms < 10000 THEN 500
  WHEN duration_ms < 20000 THEN 1000 WHEN duration_ms < 50000 THEN 2000 WHEN duration_ms < 100000 THEN 5000
  WHEN duration_ms < 200000 THEN 10000 WHEN duration_ms < 500000 THEN 20000 ELSE 50000 END`;

export const IS_RUN =
  "(type IN ('action', 'events') OR type = 'sync' AND action = 'run') AND function_name IS NOT NULL";

/** The duration of a run as it is counted: 0 when the run failed. */
export const COUNTED_DURATION = `iif(state = 'success' AND duration_ms IS NOT NULL, (duration_ms + ${STEP} / 2) / ${STEP} * ${STEP}, 0)`;

/**
 * How many calls an integration had in each hour, and how the runs of a function ended on each day: lists
 * show both (ui.md 6.3, 6.7) without counting the log. Operations also keep the processor time and the memory of their
 * run (ui.md 6.9), and a connection may have a log level of its own (ui.md 6.10).
 */
export const operationCounts: Migration = {
  id: '0040-operation-counts',
  breaking: false,
  statements: [
    `CREATE TABLE call_counts (
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      hour INTEGER NOT NULL,
      integration_key TEXT NOT NULL,
      calls INTEGER NOT NULL,
      failed INTEGER NOT NULL,
      PRIMARY KEY (environment_id, hour, integration_key)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE run_counts (
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      slot INTEGER NOT NULL,
      integration_key TEXT NOT NULL,
      type TEXT NOT NULL,
      function_name TEXT NOT NULL,
      has_failed INTEGER NOT NULL,
      duration_ms INTEGER NOT NULL,
      runs INTEGER NOT NULL,
      PRIMARY KEY (environment_id, integration_key, type, function_name, has_failed, duration_ms, slot)
    ) STRICT, WITHOUT ROWID`,
    `INSERT INTO call_counts (environment_id, hour, integration_key, calls, failed)
     SELECT environment_id, created_at / 3600000 * 3600000, integration_key, count(*), sum(state <> 'success')
     FROM log_operations
     WHERE integration_key IS NOT NULL AND state IN ('success', 'failed', 'timeout') AND (type = 'proxy' OR ${IS_RUN})
       AND environment_id IN (SELECT id FROM environments)
       AND created_at >= (SELECT max(created_at) FROM log_operations) - 172800000
     GROUP BY 1, 2, 3`,
    `INSERT INTO run_counts (environment_id, slot, integration_key, type, function_name, has_failed, duration_ms, runs)
     SELECT environment_id, created_at / 86400000 * 86400000, integration_key, type, function_name, state <> 'success',
       ${COUNTED_DURATION}, count(*)
     FROM log_operations
     WHERE integration_key IS NOT NULL AND state IN ('success', 'failed', 'timeout') AND ${IS_RUN}
       AND environment_id IN (SELECT id FROM environments)
       AND created_at >= (SELECT max(created_at) FROM log_operations) - 691200000
     GROUP BY 1, 2, 3, 4, 5, 6, 7`,
    'ALTER TABLE log_operations ADD COLUMN cpu_ms REAL',
    'ALTER TABLE log_operations ADD COLUMN memory_bytes INTEGER',
    'ALTER TABLE connections ADD COLUMN log_level TEXT',
  ],
};
