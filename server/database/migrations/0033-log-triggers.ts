import type { Migration } from './migration.ts';

/** Who started an operation is a filter of the log too, so it stands in the index that answers all of them. */
export const logTriggers: Migration = {
  id: '0033-log-triggers',
  breaking: false,
  statements: [
    'DROP INDEX log_operations_list',
    `CREATE INDEX log_operations_list ON log_operations (
      environment_id, created_at, state, type, action, integration_key, connection_id, function_name, duration_ms,
      triggered_by
    )`,
  ],
};
