import { driftWatchTables } from '../functions/functions.tables.ts';
import type { Migration } from '../platform/database/migration.ts';

/** Which integrations are compared with their recordings once a week. */
export const driftWatches: Migration = { id: '0064-drift-watches', breaking: false, statements: [...driftWatchTables] };
