import type { Migration } from '../platform/database/migration.ts';
import { seenTimeTables } from '../platform/scheduler/seen-time.tables.ts';

/** Up to when the clock was believed: what is old by a wrong clock is not removed. */
export const seenTime: Migration = { id: '0069-seen-time', breaking: false, statements: [...seenTimeTables] };
