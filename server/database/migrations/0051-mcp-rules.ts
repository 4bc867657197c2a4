import type { Migration } from './migration.ts';

/**
 * What an agent was allowed is bound to the version of the tool's code and its risk, and a policy for every connection or
 * key holds for later ones (design.md 7.59). Earlier permissions have no fingerprint, so their tools ask once more.
 */
export const mcpRules: Migration = {
  id: '0051-mcp-rules',
  breaking: false,
  statements: [
    "ALTER TABLE mcp_decisions ADD COLUMN fingerprint TEXT NOT NULL DEFAULT ''",
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
  ],
};
