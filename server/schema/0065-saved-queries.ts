import type { Migration } from '../platform/database/migration.ts';
import { savedQueryTables } from '../queries/queries.tables.ts';

/** Statements over records that people keep. */
export const savedQueries: Migration = { id: '0065-saved-queries', breaking: false, statements: [...savedQueryTables] };
