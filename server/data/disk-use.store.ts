import type { Database, ReadHandle } from '../platform/database/database.ts';

type Maintained = Pick<Database, 'maintenance'>;

export interface DatabaseUse {
  /** Bytes of tables with their indexes, by table name. The texts of a full-text search are in tables of their own. */
  tables: Map<string, number>;
  pageBytes: number;
  pages: number;
  /** Pages without content. */
  freePages: number;
  /** True when free pages can be released step by step. */
  isIncremental: boolean;
}

/** How the database file is used. Reads every page: for a screen that a person opens, not for a loop. */
export class DiskUseStore {
  async measure(db: ReadHandle): Promise<DatabaseUse> {
    const rows = await db.all<{ name: string; bytes: number }>(
      `SELECT s.tbl_name AS name, sum(d.pgsize) AS bytes FROM dbstat d JOIN sqlite_schema s ON s.name = d.name
       WHERE d.aggregate = 1 GROUP BY s.tbl_name`,
    );
    return { ...(await this.pages(db)), tables: new Map(rows.map(({ name, bytes }) => [name, bytes])) };
  }

  /** Cheap: reads the header of the file. */
  async pages(db: ReadHandle): Promise<Omit<DatabaseUse, 'tables'>> {
    const row = await db.get<{ pageBytes: number; pages: number; freePages: number; mode: number }>(
      `SELECT s.page_size AS pageBytes, c.page_count AS pages, f.freelist_count AS freePages, a.auto_vacuum AS mode
       FROM pragma_page_size s, pragma_page_count c, pragma_freelist_count f, pragma_auto_vacuum a`,
    );
    if (!row) throw new Error('SQLite does not report the size of its file.');
    return { pageBytes: row.pageBytes, pages: row.pages, freePages: row.freePages, isIncremental: row.mode === 2 };
  }
  /** Releases up to this many free pages to the disk; writers wait meanwhile. */
  release(database: Maintained, pages: number): Promise<void> {
    return database.maintenance(`PRAGMA incremental_vacuum(${pages})`);
  }

  /** Rewrites the whole file without free pages, after which `release` works; writers wait meanwhile. */
  rewrite(database: Maintained): Promise<void> {
    return database.maintenance('VACUUM');
  }

  /** Moves the content of the write-ahead log into the file and empties the log. */
  emptyLog(database: Maintained): Promise<void> {
    return database.maintenance('PRAGMA wal_checkpoint(TRUNCATE)');
  }
}
