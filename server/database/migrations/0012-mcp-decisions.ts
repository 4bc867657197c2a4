import type { Migration } from './migration.ts';

/** A person's decisions about what a client may do with a tool of a connection. */
export const mcpDecisions: Migration = {
  id: '0012-mcp-decisions',
  breaking: false,
  statements: [
    `CREATE TABLE mcp_decisions (
      api_key_id INTEGER NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
      connection_row_id INTEGER NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
      tool TEXT NOT NULL,
      policy TEXT NOT NULL CHECK (policy IN ('allow', 'ask', 'deny')),
      decided_at INTEGER NOT NULL,
      PRIMARY KEY (api_key_id, connection_row_id, tool)
    ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX mcp_decisions_by_connection ON mcp_decisions (connection_row_id)',
  ],
};
