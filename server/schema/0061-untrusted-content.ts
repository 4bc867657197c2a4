import { untrustedContentColumns } from '../agents/agents.tables.ts';
import { untrustedReadTables } from '../mcp/mcp.tables.ts';
import type { Migration } from '../platform/database/migration.ts';

/** Which sessions read text by strangers, and whether that makes them ask. */
export const untrustedContent: Migration = {
  id: '0061-untrusted-content',
  breaking: false,
  statements: [...untrustedReadTables, ...untrustedContentColumns],
};
