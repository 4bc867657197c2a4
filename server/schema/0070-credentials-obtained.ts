import { credentialsObtainedColumns } from '../connections/connections.tables.ts';
import type { Migration } from '../platform/database/migration.ts';

/** How old the credentials of a connection are, also after a renewal of them failed. */
export const credentialsObtained: Migration = {
  id: '0070-credentials-obtained',
  breaking: false,
  statements: [...credentialsObtainedColumns],
};
