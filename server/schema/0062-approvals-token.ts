import { approvalsTokenColumns } from '../environments/environments.tables.ts';
import type { Migration } from '../platform/database/migration.ts';

/** The token for the address to which questions of agents are sent. */
export const approvalsToken: Migration = {
  id: '0062-approvals-token',
  breaking: false,
  statements: [...approvalsTokenColumns],
};
