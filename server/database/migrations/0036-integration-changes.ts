import type { Migration } from './migration.ts';

/** Changes of integrations, sealed with the values before and after, so that a change can be undone (ui.md 6.6). */
export const integrationChanges: Migration = {
  id: '0036-integration-changes',
  breaking: false,
  statements: [
    `CREATE TABLE integration_changes (
      id INTEGER PRIMARY KEY,
      integration_id INTEGER NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
      at INTEGER NOT NULL,
      undoes INTEGER,
      sealed TEXT NOT NULL
    ) STRICT`,
    'CREATE INDEX integration_changes_integration ON integration_changes (integration_id, id)',
    'CREATE INDEX integration_changes_at ON integration_changes (at)',
  ],
};
