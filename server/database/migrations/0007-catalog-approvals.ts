import type { Migration } from './migration.ts';

/** Sensitive overrides of the workspace catalogue that a person approved, or that applied because they were unused. */
export const catalogApprovals: Migration = {
  id: '0007-catalog-approvals',
  breaking: false,
  statements: [
    `CREATE TABLE catalog_approvals (
      hash TEXT PRIMARY KEY,
      provider TEXT NOT NULL,
      approved_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  ],
};
