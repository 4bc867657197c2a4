import { programDecisionTables } from '../mcp/mcp.tables.ts';
import type { Migration } from '../platform/database/migration.ts';

/** What people decide about the programs of agent sessions. */
export const programDecisions: Migration = {
  id: '0058-program-decisions',
  breaking: false,
  statements: programDecisionTables,
};
