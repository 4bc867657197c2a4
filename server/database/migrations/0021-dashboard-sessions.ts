import type { Migration } from './migration.ts';

/** Earlier sessions have no token of their page, so their browsers have to log in again. */
export const dashboardSessions: Migration = {
  id: '0021-dashboard-sessions',
  breaking: false,
  statements: [
    'DELETE FROM ui_sessions',
    "ALTER TABLE ui_sessions ADD COLUMN csrf_hash TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE ui_sessions ADD COLUMN browser TEXT NOT NULL DEFAULT ''",
    'ALTER TABLE ui_sessions ADD COLUMN last_used_at INTEGER NOT NULL DEFAULT 0',
  ],
};
