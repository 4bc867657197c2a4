import type { Migration } from './migration.ts';

/** The notification centre: one row for each cause; environment 0 stands for the whole hub. */
export const notifications: Migration = {
  id: '0031-notifications',
  breaking: false,
  statements: [
    `CREATE TABLE notifications (
      id INTEGER PRIMARY KEY,
      environment_id INTEGER NOT NULL,
      kind TEXT NOT NULL,
      cause TEXT NOT NULL,
      title TEXT NOT NULL,
      text TEXT,
      link TEXT NOT NULL,
      action TEXT NOT NULL,
      count INTEGER NOT NULL,
      at INTEGER NOT NULL,
      read_at INTEGER,
      over_at INTEGER,
      UNIQUE (environment_id, cause)
    ) STRICT`,
    'CREATE INDEX notifications_list ON notifications (environment_id, at)',
    `CREATE TABLE notification_rules (
      environment_id INTEGER PRIMARY KEY REFERENCES environments (id) ON DELETE CASCADE,
      rules TEXT NOT NULL
    ) STRICT`,
  ],
};
