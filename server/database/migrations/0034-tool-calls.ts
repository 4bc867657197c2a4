import type { Migration } from './migration.ts';

/** Few operations are calls of MCP clients, so their list has an index and does not read all others (ui.md 6.15). */
export const toolCalls: Migration = {
  id: '0034-tool-calls',
  breaking: false,
  statements: [
    `CREATE INDEX log_operations_tool_calls ON log_operations (environment_id, created_at) WHERE triggered_by = 'mcp'`,
  ],
};
