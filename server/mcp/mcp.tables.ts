/** What a person decided about tools. */
export const mcpTables: readonly string[] = [
  // What a client may do with a tool of a connection, bound to the version of its code and its risk (design.md
  // 7.59).
  `CREATE TABLE mcp_decisions (
      api_key_id INTEGER NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
      connection_row_id INTEGER NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
      tool TEXT NOT NULL,
      policy TEXT NOT NULL CHECK (policy IN ('allow', 'ask', 'deny')),
      decided_at INTEGER NOT NULL,
      fingerprint TEXT NOT NULL DEFAULT '',
      PRIMARY KEY (api_key_id, connection_row_id, tool)
    ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX mcp_decisions_by_connection ON mcp_decisions (connection_row_id)',
  // A policy for every connection or key, which holds for later ones too (design.md 7.59).
  `CREATE TABLE mcp_rules (
      id INTEGER PRIMARY KEY,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      api_key_id INTEGER REFERENCES api_keys (id) ON DELETE CASCADE,
      integration_key TEXT,
      connection_id TEXT,
      tool TEXT NOT NULL,
      policy TEXT NOT NULL CHECK (policy IN ('allow', 'ask', 'deny')),
      fingerprints TEXT NOT NULL,
      decided_at INTEGER NOT NULL
    ) STRICT`,
  'CREATE INDEX mcp_rules_by_tool ON mcp_rules (environment_id, tool)',
];

/** What a person decided about the programs of agent sessions, since migration 0058. */
export const programDecisionTables: readonly string[] = [
  // Bound to the version of the tool as in mcp_decisions. Either `program` or `session_id` is empty.
  `CREATE TABLE program_decisions (
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      program TEXT NOT NULL,
      session_id TEXT NOT NULL,
      connection_row_id INTEGER NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
      tool TEXT NOT NULL,
      policy TEXT NOT NULL CHECK (policy IN ('allow', 'ask', 'deny')),
      fingerprint TEXT NOT NULL,
      decided_at INTEGER NOT NULL,
      PRIMARY KEY (environment_id, program, session_id, connection_row_id, tool)
    ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX program_decisions_by_connection ON program_decisions (connection_row_id)',
  'CREATE INDEX program_decisions_by_session ON program_decisions (session_id)',
];

/** What agents read that strangers wrote, since migration 0061. */
export const untrustedReadTables: readonly string[] = [
  // One row for each tool of a connection: its first call. Either `session_id` or `api_key_id` is set.
  `CREATE TABLE untrusted_reads (
      id INTEGER PRIMARY KEY,
      session_id TEXT REFERENCES agent_sessions (id) ON DELETE CASCADE,
      api_key_id INTEGER REFERENCES api_keys (id) ON DELETE CASCADE,
      tool TEXT NOT NULL,
      integration_key TEXT NOT NULL,
      connection_id TEXT NOT NULL,
      read_at INTEGER NOT NULL
    ) STRICT`,
  'CREATE INDEX untrusted_reads_by_session ON untrusted_reads (session_id)',
  'CREATE INDEX untrusted_reads_by_key ON untrusted_reads (api_key_id)',
];

/** What agents wrote, since migration 0063. */
export const writtenCallTables: readonly string[] = [
  // `id` is the operation of the run. `details` (sealed) is what the call sent and got, and what its undo needs.
  `CREATE TABLE written_calls (
      id TEXT PRIMARY KEY,
      session_id TEXT NOT NULL REFERENCES agent_sessions (id) ON DELETE CASCADE,
      integration_key TEXT NOT NULL,
      connection_id TEXT NOT NULL,
      connection_row_id INTEGER NOT NULL,
      tool TEXT NOT NULL,
      bundle_hash TEXT NOT NULL,
      details TEXT,
      undo_state TEXT NOT NULL CHECK (undo_state IN ('none', 'possible', 'running', 'undone', 'failed')),
      undo_error TEXT,
      undone_at INTEGER,
      made_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX written_calls_by_session ON written_calls (session_id, made_at)',
  'CREATE INDEX written_calls_by_connection ON written_calls (connection_row_id)',
  'CREATE INDEX written_calls_with_details ON written_calls (id) WHERE details IS NOT NULL',
  // A deleted connection takes what its calls sent and got with it.
  `CREATE TRIGGER written_calls_of_deleted AFTER UPDATE OF deleted_at ON connections WHEN new.deleted_at IS NOT NULL
    BEGIN
      UPDATE written_calls SET details = NULL, undo_error = NULL WHERE connection_row_id = new.id;
    END`,
  `CREATE TRIGGER written_calls_of_removed AFTER DELETE ON connections
    BEGIN
      UPDATE written_calls SET details = NULL, undo_error = NULL WHERE connection_row_id = old.id;
    END`,
];
