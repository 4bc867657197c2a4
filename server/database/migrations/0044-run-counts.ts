import type { Migration } from './migration.ts';

/**
 * What a run of a sync did to its records, and which variant it was of, for the table of runs (ui.md 6.9). Operations of
 * before have none: their messages would have to be read, and they leave with the retention of the log.
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
