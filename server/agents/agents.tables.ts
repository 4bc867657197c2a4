/** Sessions of agents. Released: a later change is a step in `server/schema`. */
export const agentTables: readonly string[] = [
  // The token is found by its keyed hash. `scope` has row ids of integrations and connections: a later one with the
  // same name is another one. `tags` (sealed) are those of connections that a person creates for the session.
  `CREATE TABLE agent_sessions (
      id TEXT PRIMARY KEY,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      made_by TEXT NOT NULL CHECK (made_by IN ('key', 'person', 'program')),
      api_key_id INTEGER REFERENCES api_keys (id) ON DELETE SET NULL,
      name TEXT,
      token_hash TEXT NOT NULL,
      scope TEXT NOT NULL,
      tags TEXT,
      client TEXT,
      calls INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      last_used_at INTEGER,
      ended_at INTEGER,
      ended_reason TEXT
    ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX agent_sessions_list ON agent_sessions (environment_id, created_at)',
  'CREATE INDEX agent_sessions_by_key ON agent_sessions (api_key_id)',
];

/** Since migration 0061. */
export const untrustedContentColumns: readonly string[] = [
  `ALTER TABLE agent_sessions ADD COLUMN untrusted_content TEXT NOT NULL DEFAULT 'ask'
    CHECK (untrusted_content IN ('ask', 'ignore'))`,
];
