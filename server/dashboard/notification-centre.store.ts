import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** One cause. Times are in milliseconds since the epoch; environment 0 means the whole hub. */

export interface StoredNotification {
  id: number;
  environmentId: number;
  kind: string;
  cause: string;
  title: string;
  text: string | null;
  link: string;
  action: string;
  count: number;
  at: number;
  readAt: number | null;
  overAt: number | null;
  /** Number of failures of the cause when a person was told of it. */
  toldSize: number;
}

const COLUMNS = `id, environment_id AS environmentId, kind, cause, title, text, link, action, count, at,
  read_at AS readAt, over_at AS overAt, told_size AS toldSize`;

/** Notifications, and the states from which they are derived. */
export class NotificationCentreStore {
  find(db: ReadHandle, environmentId: number, cause: string): Promise<StoredNotification | undefined> {
    return db.get(`SELECT ${COLUMNS} FROM notifications WHERE environment_id = ? AND cause = ?`, [
      environmentId,
      cause,
    ]);
  }

  /** Notifications of the environment and of the whole hub since a time, newest first. */
  list(db: ReadHandle, environmentId: number, since: number, limit: number): Promise<StoredNotification[]> {
    return db.all(
      `SELECT ${COLUMNS} FROM notifications WHERE environment_id IN (?, 0) AND at >= ?
       ORDER BY at DESC, id DESC LIMIT ?`,
      [environmentId, since, limit],
    );
  }

  /** Notifications of all environments whose cause has not ended. */
  listOpen(db: ReadHandle): Promise<Array<Pick<StoredNotification, 'environmentId' | 'cause'>>> {
    return db.all('SELECT environment_id AS environmentId, cause FROM notifications WHERE over_at IS NULL');
  }

  async countUnread(db: ReadHandle, environmentId: number, since: number): Promise<number> {
    const row = await db.get<{ count: number }>(
      `SELECT count(*) AS count FROM notifications
       WHERE environment_id IN (?, 0) AND at >= ? AND read_at IS NULL AND over_at IS NULL`,
      [environmentId, since],
    );
    return row?.count ?? 0;
  }

  /** Inserts or updates the notification of a cause; resolves to the stored row. */
  async upsert(tx: Transaction, row: Omit<StoredNotification, 'id'>): Promise<StoredNotification> {
    const [stored] = await tx.all<StoredNotification>(
      `INSERT INTO notifications (environment_id, kind, cause, title, text, link, action, count, at, read_at, over_at,
         told_size)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (environment_id, cause) DO UPDATE SET kind = excluded.kind, title = excluded.title,
         text = excluded.text, link = excluded.link, action = excluded.action, count = excluded.count,
         at = excluded.at, read_at = excluded.read_at, over_at = excluded.over_at, told_size = excluded.told_size
       RETURNING ${COLUMNS}`,
      [
        row.environmentId,
        row.kind,
        row.cause,
        row.title,
        row.text,
        row.link,
        row.action,
        row.count,
        row.at,
        row.readAt,
        row.overAt,
        row.toldSize,
      ],
    );
    if (!stored) throw new Error('The notification was not stored.');
    return stored;
  }

  /** Without ids: all notifications of the environment and of the whole hub. */
  async markRead(tx: Transaction, environmentId: number, ids: readonly number[] | undefined, now: number) {
    return tx.all<StoredNotification>(
      `UPDATE notifications SET read_at = ?1 WHERE environment_id IN (?2, 0) AND read_at IS NULL
         AND (?3 IS NULL OR id IN (SELECT value FROM json_each(?3))) RETURNING ${COLUMNS}`,
      [now, environmentId, ids === undefined ? null : JSON.stringify(ids)],
    );
  }

  async removeOld(tx: Transaction, before: number): Promise<number> {
    const { changes } = await tx.run('DELETE FROM notifications WHERE at < ?', [before]);
    return changes;
  }

  async findRules(db: ReadHandle, environmentId: number): Promise<string | undefined> {
    const row = await db.get<{ rules: string }>('SELECT rules FROM notification_rules WHERE environment_id = ?', [
      environmentId,
    ]);
    return row?.rules;
  }

  async upsertRules(tx: Transaction, environmentId: number, rules: string): Promise<void> {
    await tx.run(
      `INSERT INTO notification_rules (environment_id, rules) VALUES (?, ?)
       ON CONFLICT (environment_id) DO UPDATE SET rules = excluded.rules`,
      [environmentId, rules],
    );
  }
}
