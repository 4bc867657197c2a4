import type { ReadHandle, Transaction } from '../platform/database/database.ts';

export type HeldKind = 'connection' | 'integration' | 'variant' | 'destination';

/** One object of a deletion that waits. */
export interface HeldDeletionRow {
  id: number;
  deletionId: string;
  environmentId: number;
  kind: HeldKind;
  /** Id of the object's row: a later object with the same name is another one. */
  objectId: string;
  /** JSON text: how the kind finds the object. */
  names: string;
}

const COLUMNS = 'id, deletion_id AS deletionId, environment_id AS environmentId, kind, object_id AS objectId, names';

/** SQL that is true for connections `c` that are not about to be deleted, alone or with their integration. */
export const IS_NOT_HELD = `CAST(c.id AS TEXT) NOT IN (SELECT object_id FROM held_deletions WHERE kind = 'connection')
  AND CAST(c.integration_id AS TEXT) NOT IN (SELECT object_id FROM held_deletions WHERE kind = 'integration')`;

export class HeldDeletionsStore {
  /** An object that waits already now belongs to this deletion. */
  async insertMany(tx: Transaction, rows: Array<Omit<HeldDeletionRow, 'id'>>, dueAt: number): Promise<void> {
    await tx.run(
      `INSERT INTO held_deletions (deletion_id, environment_id, kind, object_id, names, due_at)
       SELECT value ->> 'deletionId', value ->> 'environmentId', value ->> 'kind', value ->> 'objectId', value ->> 'names', ?
       FROM json_each(?) WHERE true
       ON CONFLICT (kind, object_id) DO UPDATE SET deletion_id = excluded.deletion_id, due_at = excluded.due_at
         WHERE is_begun = 0`,
      [dueAt, JSON.stringify(rows)],
    );
  }

  /** Resolves to the number of objects that still wait. */
  async postpone(tx: Transaction, of: { deletionId: string; environmentId: number }, dueAt: number): Promise<number> {
    const { changes } = await tx.run(
      'UPDATE held_deletions SET due_at = ? WHERE deletion_id = ? AND environment_id = ? AND is_begun = 0',
      [dueAt, of.deletionId, of.environmentId],
    );
    return changes;
  }

  /** Resolves to the number of objects that are deleted no more. */
  async removeWaiting(tx: Transaction, of: { deletionId: string; environmentId: number }): Promise<number> {
    const { changes } = await tx.run(
      'DELETE FROM held_deletions WHERE deletion_id = ? AND environment_id = ? AND is_begun = 0',
      [of.deletionId, of.environmentId],
    );
    return changes;
  }

  /** The object was stored anew: whoever connects again does not want it to be deleted a moment later. */
  async forget(tx: Transaction, kind: HeldKind, objectId: string): Promise<void> {
    await tx.run('DELETE FROM held_deletions WHERE kind = ? AND object_id = ? AND is_begun = 0', [kind, objectId]);
  }

  /**
   * Marks what is due as begun: it cannot be undone any more. A time further ahead than `longestMs` was written by a
   * wrong clock (design.md 7.55). Resolves to it and to what was begun before.
   */
  async begin(tx: Transaction, { now, longestMs }: { now: number; longestMs: number }): Promise<HeldDeletionRow[]> {
    await tx.run('UPDATE held_deletions SET is_begun = 1 WHERE due_at <= ? OR due_at > ?', [now, now + longestMs]);
    return tx.all(`SELECT ${COLUMNS} FROM held_deletions WHERE is_begun = 1 ORDER BY id`);
  }

  async remove(tx: Transaction, id: number): Promise<void> {
    await tx.run('DELETE FROM held_deletions WHERE id = ?', [id]);
  }

  async findNextDue(db: ReadHandle): Promise<number | null> {
    const row = await db.get<{ dueAt: number | null }>(
      'SELECT MIN(due_at) AS dueAt FROM held_deletions WHERE is_begun = 0',
    );
    return row?.dueAt ?? null;
  }

  async listObjects(db: ReadHandle, environmentId: number, kind: HeldKind): Promise<string[]> {
    const rows = await db.all<{ objectId: string }>(
      'SELECT object_id AS objectId FROM held_deletions WHERE environment_id = ? AND kind = ?',
      [environmentId, kind],
    );
    return rows.map(({ objectId }) => objectId);
  }
}
