import type { Migration } from './migration.ts';

/** Connections that a key is limited to, and how its app looks in lists (ui.md 6.14). */
export const keyLimits: Migration = {
  id: '0037-key-limits',
  breaking: false,
  statements: [
    'ALTER TABLE api_keys ADD COLUMN allowed TEXT',
    'ALTER TABLE api_keys ADD COLUMN icon TEXT',
    'ALTER TABLE api_keys ADD COLUMN colour TEXT',
  ],
};
