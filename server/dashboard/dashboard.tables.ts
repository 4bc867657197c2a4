/** What only the dashboard shows. */
export const dashboardTables: readonly string[] = [
  // The notification centre: one row for each cause; environment 0 stands for the whole hub.
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
      told_size INTEGER NOT NULL DEFAULT 1,
      UNIQUE (environment_id, cause)
    ) STRICT`,
  'CREATE INDEX notifications_list ON notifications (environment_id, at)',
  `CREATE TABLE notification_rules (
      environment_id INTEGER PRIMARY KEY REFERENCES environments (id) ON DELETE CASCADE,
      rules TEXT NOT NULL
    ) STRICT`,
  // How large the database was, by quarter of an hour.
  `CREATE TABLE size_samples (
      slot INTEGER PRIMARY KEY CHECK (slot % 900000 = 0),
      bytes INTEGER NOT NULL
    ) STRICT`,
];
