/** Programs that registered at the front door, and what they hold. */
export const agentSignInTables: readonly string[] = [
  `CREATE TABLE agent_clients (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      redirect_uris TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      used_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX agent_clients_by_use ON agent_clients (used_at)',
  // A code, an access token or a refresh token, by its keyed hash. A row that was used stays until the session is over:
  // a second use ends the session. `binding` (JSON) is what the holder of a code has to prove.
  `CREATE TABLE agent_tokens (
      token_hash TEXT PRIMARY KEY,
      session_id TEXT NOT NULL REFERENCES agent_sessions (id) ON DELETE CASCADE,
      client_id TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('code', 'access', 'refresh')),
      binding TEXT,
      expires_at INTEGER NOT NULL,
      used_at INTEGER
    ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX agent_tokens_by_session ON agent_tokens (session_id)',
];
