import type { Migration } from './migration.ts';

/** Connect sessions, found by the keyed hash of their token; their permissions are sealed. */
export const connectSessions: Migration = {
  id: '0009-connect-sessions',
  breaking: false,
  statements: [
    `CREATE TABLE connect_sessions (
      lookup_hash TEXT PRIMARY KEY,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      operation_id TEXT NOT NULL,
      content TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX connect_sessions_by_age ON connect_sessions (created_at)',
  ],
};
