import { agentTables } from '../agents/agents.tables.ts';
import type { Migration } from '../platform/database/migration.ts';

/** Agent sessions, and which entries of the log belong to one. */
export const agentSessions: Migration = {
  id: '0057-agent-sessions',
  breaking: false,
  statements: [
    ...agentTables,
    'ALTER TABLE log_operations ADD COLUMN session_id TEXT',
    `CREATE INDEX log_operations_of_session
      ON log_operations (environment_id, session_id, created_at)
      WHERE session_id IS NOT NULL`,
  ],
};
