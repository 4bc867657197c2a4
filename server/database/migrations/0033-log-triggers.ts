import type { Migration } from './migration.ts';

/** The log can be filtered by what started an operation, so the index for all filters contains it. */
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
