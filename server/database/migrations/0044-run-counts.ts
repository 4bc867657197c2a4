import type { Migration } from './migration.ts';

/**
 * The record changes and the variant of a run of a sync, for the table of runs (ui.md 6.9). Earlier operations have no
 * values: their messages would have to be read, and the retention of the log removes them later.
 */
export const runCounts: Migration = {
  id: '0044-run-counts',
  breaking: false,
  statements: [
    'ALTER TABLE log_operations ADD COLUMN variant TEXT',
    'ALTER TABLE log_operations ADD COLUMN records_added INTEGER',
    'ALTER TABLE log_operations ADD COLUMN records_updated INTEGER',
    'ALTER TABLE log_operations ADD COLUMN records_deleted INTEGER',
  ],
};
