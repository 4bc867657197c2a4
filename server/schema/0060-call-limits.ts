import { limitTables } from '../limits/limits.tables.ts';
import type { Migration } from '../platform/database/migration.ts';

/** How much keys, programs, sessions and runs may do, and what they used of it. */
export const callLimits: Migration = { id: '0060-call-limits', breaking: false, statements: [...limitTables] };
