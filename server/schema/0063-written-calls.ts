import { writtenCallTables } from '../mcp/mcp.tables.ts';
import type { Migration } from '../platform/database/migration.ts';

/** What agents changed, and what of it was taken back. */
export const writtenCalls: Migration = {
  id: '0063-written-calls',
  breaking: false,
  statements: [...writtenCallTables],
};
