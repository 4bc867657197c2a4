import type { ReadHandle, Transaction } from '../platform/database/database.ts';

export type SnapshotEvery = 'sync' | 'hour' | 'day' | 'week';

/** What stands in the folder. */
export interface SnapshotFile {
  /** As a statement names it. */
  view: string;
  /** Below the folder, with `/`. */
  file: string;
  rows: number;
  bytes: number;
  /** Of the contents (`listMarkedViews`); undefined: it is written at each run. */
  mark?: string | undefined;
}

export interface SnapshotRow {
  environmentId: number;
  folder: string;
  every: SnapshotEvery;
  hasHistory: boolean;
  files: SnapshotFile[];
  /** Why the last run did not write everything. */
  problem: string | null;
  nextAt: number | null;
  lastAt: number | null;
}

type SqlRow = Omit<SnapshotRow, 'hasHistory' | 'files'> & { hasHistory: 0 | 1; files: string };

const SELECT = `SELECT environment_id AS environmentId, folder, every, has_history AS hasHistory, files, problem,
    next_at AS nextAt, last_at AS lastAt
  FROM snapshots`;

export class SnapshotsStore {
  async list(db: ReadHandle): Promise<SnapshotRow[]> {
    return (await db.all<SqlRow>(`${SELECT} ORDER BY environment_id`)).map(toRow);
  }

  async find(db: ReadHandle, environmentId: number): Promise<SnapshotRow | undefined> {
    const row = await db.get<SqlRow>(`${SELECT} WHERE environment_id = ?`, [environmentId]);
    return row && toRow(row);
  }

  async upsert(tx: Transaction, row: SnapshotRow): Promise<void> {
    await tx.run(
      `INSERT INTO snapshots (environment_id, folder, every, has_history, files, problem, next_at, last_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (environment_id) DO UPDATE SET folder = excluded.folder, every = excluded.every,
         has_history = excluded.has_history, files = excluded.files, problem = excluded.problem,
         next_at = excluded.next_at, last_at = excluded.last_at`,
      [
        row.environmentId,
        row.folder,
        row.every,
        row.hasHistory ? 1 : 0,
        JSON.stringify(row.files),
        row.problem,
        row.nextAt,
        row.lastAt,
      ],
    );
  }

  /** A run after a sync, unless one is due before. */
  async setDue(tx: Transaction, environmentId: number, nextAt: number): Promise<void> {
    await tx.run(
      "UPDATE snapshots SET next_at = ?2 WHERE environment_id = ?1 AND every = 'sync' AND (next_at IS NULL OR next_at > ?2)",
      [environmentId, nextAt],
    );
  }

  async remove(tx: Transaction, environmentId: number): Promise<void> {
    await tx.run('DELETE FROM snapshots WHERE environment_id = ?', [environmentId]);
  }
}

const toRow = (row: SqlRow): SnapshotRow => ({
  ...row,
  hasHistory: row.hasHistory === 1,
  files: JSON.parse(row.files) as SnapshotFile[],
});
