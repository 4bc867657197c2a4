import { logWordTables } from '../log/log.tables.ts';
import type { Migration } from '../platform/database/migration.ts';

/** The words of the log's full-text indexes, as tables without rows of their own. */
export const logWords: Migration = { id: '0068-log-words', breaking: false, statements: [...logWordTables] };
