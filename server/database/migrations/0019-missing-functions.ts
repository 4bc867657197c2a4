import type { Migration } from './migration.ts';

/**
 * A function whose file is missing is kept, and its syncs store whether their schedules continue when the file exists
 * again. Code is in a separate table, so that a list of functions does not read it.
 */
export const missingFunctions: Migration = {
  id: '0019-missing-functions',
  breaking: true,
  statements: [
    'ALTER TABLE functions ADD COLUMN missing_since INTEGER',
    `CREATE TABLE function_code (
      function_id INTEGER PRIMARY KEY REFERENCES functions (id) ON DELETE CASCADE,
      source TEXT NOT NULL,
      bundle TEXT NOT NULL
    ) STRICT`,
    `INSERT INTO function_code (function_id, source, bundle)
     SELECT id, COALESCE(source, ''), bundle FROM functions WHERE bundle IS NOT NULL`,
    'ALTER TABLE functions DROP COLUMN source',
    'ALTER TABLE functions DROP COLUMN bundle',
    'ALTER TABLE syncs ADD COLUMN was_started INTEGER',
  ],
};
