import type { Migration } from './migration.ts';

/** Authorizations in progress at a provider, found by the state that the provider returns; all their data is sealed. */
export const oauthStates: Migration = {
  id: '0011-oauth-states',
  breaking: false,
  statements: [
    `CREATE TABLE oauth_states (
      id TEXT PRIMARY KEY,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      content TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX oauth_states_by_age ON oauth_states (created_at)',
  ],
};
