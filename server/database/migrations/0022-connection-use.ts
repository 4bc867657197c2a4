import type { Migration } from './migration.ts';

/** When an app, a function or the proxy last used the credentials; `last_fetched_at` includes background refreshes. */
export const connectionUse: Migration = {
  id: '0022-connection-use',
  breaking: false,
  statements: [
    'ALTER TABLE connections ADD COLUMN last_used_at INTEGER',
    'UPDATE connections SET last_used_at = last_fetched_at',
  ],
};
