import type { Migration } from './migration.ts';

/** Asynchronous action calls and their responses. */
export const actionCalls: Migration = {
  id: '0008-action-calls',
  breaking: false,
  statements: [
    `CREATE TABLE action_calls (
      id TEXT PRIMARY KEY,
      environment_id INTEGER NOT NULL,
      request TEXT NOT NULL,
      answer TEXT,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX action_calls_by_age ON action_calls (created_at)',
  ],
};
