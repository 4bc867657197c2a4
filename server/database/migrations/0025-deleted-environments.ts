import type { Migration } from './migration.ts';

/** Rows that may still be written by work that was in progress when the environment was deleted. */
const LATE = ['action_calls', 'connections', 'locks', 'log_operations', 'log_sizes'] as const;

/**
 * Environments that were deleted: their ids are never used again, nor are those of their connections and integrations.
 * While `environments` still has the row, its content is being removed. An older program does not read this table and
 * may use an id again; the id then counts as not deleted.
 */
export const deletedEnvironments: Migration = {
  id: '0025-deleted-environments',
  breaking: false,
  statements: [
    `CREATE TABLE deleted_environments (
      id INTEGER PRIMARY KEY,
      last_connection_id INTEGER NOT NULL,
      last_integration_id INTEGER NOT NULL,
      deleted_at INTEGER NOT NULL
    ) STRICT`,
    `CREATE TRIGGER deleted_environments_reused AFTER INSERT ON environments BEGIN
      DELETE FROM deleted_environments WHERE id = new.id;
    END`,
    ...LATE.map(
      (table) => `CREATE TRIGGER ${table}_of_deleted BEFORE INSERT ON ${table}
    WHEN EXISTS (SELECT 1 FROM deleted_environments WHERE id = new.environment_id)
    BEGIN
      SELECT RAISE(IGNORE);
    END`,
    ),
  ],
};
