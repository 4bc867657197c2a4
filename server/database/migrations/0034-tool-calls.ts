import type { Migration } from './migration.ts';

/** Calls of MCP clients are few among the operations: their list must not read all others (ui.md 6.15). */
export const toolCalls: Migration = {
  id: '0034-tool-calls',
  breaking: false,
  statements: [
    `CREATE INDEX log_operations_tool_calls ON log_operations (environment_id, created_at) WHERE triggered_by = 'mcp'`,
  ],
};
