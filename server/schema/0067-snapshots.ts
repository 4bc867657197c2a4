import type { Migration } from '../platform/database/migration.ts';
import { snapshotTables } from '../snapshots/snapshots.tables.ts';

/** Folders of Parquet files. */
export const snapshots: Migration = { id: '0067-snapshots', breaking: false, statements: [...snapshotTables] };
