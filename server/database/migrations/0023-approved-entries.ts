import type { Migration } from './migration.ts';

/**
 * Entries of the workspace's catalogue as they were when their connections were created, or when a person last approved
 * them.
 */
export const approvedEntries: Migration = {
  id: '0023-approved-entries',
  breaking: false,
  statements: [
    `CREATE TABLE approved_entries (
      provider TEXT PRIMARY KEY,
      definition TEXT NOT NULL,
      source TEXT NOT NULL,
      replaces_builtin INTEGER NOT NULL,
      written_hash TEXT NOT NULL,
      approved_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  ],
};
