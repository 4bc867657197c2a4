import { Conditions } from '../platform/database/conditions.ts';
import { countRows, type RowCount } from '../platform/database/count-rows.ts';
import type { ReadHandle, Transaction } from '../platform/database/database.ts';
import { MOST_VALUES } from '../platform/database/most-values.ts';

/** A new entry. Times are in milliseconds since the epoch. */
export interface NewAuditEntry {
  /** Null for acts that concern the whole hub. */
  environmentId: number | null;
  at: number;
  action: string;
  result: 'done' | 'refused';
  keyId: number | null;
  integrationKey: string | null;
  connectionId: string | null;
  subject: string | null;
  count: number;
  /** Entries of one bucket share one row. */
  bucket: string | null;
}

export interface AuditEntry extends Omit<NewAuditEntry, 'bucket'> {
  seq: number;
  app: string | null;
  hasKey: boolean;
  /** Number of entries that the row stands for, and the time of the first one. */
  entries: number;
  firstAt: number;
}

export interface AuditFilter {
  environmentId: number;
  actions?: readonly string[] | undefined;
  results?: readonly string[] | undefined;
  apps?: readonly string[] | undefined;
  integrations?: readonly string[] | undefined;
  search?: string | undefined;
  snapshot?: number | undefined;
  /** Milliseconds, both ends included. */
  from?: number | undefined;
  to?: number | undefined;
  /** Equal entries that follow each other, of one act and one key, are one row. */
  isGrouped?: boolean | undefined;
}

const COLUMNS = 'seq, environment_id, at, action, result, key_id, app, integration_key, connection_id, subject, count';

export class AuditStore {
  /**
   * Inserts the entries in one statement; entries of a removed environment are left out. The name of the key is stored
   * as it is now, or left empty when the key is gone. A row for several entries names what all of them have in common.
   */
  async insert(tx: Transaction, entries: readonly NewAuditEntry[]): Promise<void> {
    await tx.run(
      `INSERT INTO audit_entries (environment_id, at, action, result, key_id, app, integration_key, connection_id,
         subject, count, bucket)
       SELECT e.value ->> 'environmentId', e.value ->> 'at', e.value ->> 'action', e.value ->> 'result',
         e.value ->> 'keyId', k.display_name, e.value ->> 'integrationKey', e.value ->> 'connectionId',
         e.value ->> 'subject', e.value ->> 'count', e.value ->> 'bucket'
       FROM json_each(?) AS e LEFT JOIN api_keys AS k ON k.id = e.value ->> 'keyId'
       WHERE (e.value ->> 'environmentId' IS NULL OR EXISTS
         (SELECT 1 FROM environments WHERE id = e.value ->> 'environmentId'))
       ON CONFLICT (bucket) DO UPDATE SET at = excluded.at, count = audit_entries.count + excluded.count,
         integration_key = CASE WHEN audit_entries.integration_key IS excluded.integration_key
           THEN excluded.integration_key END,
         connection_id = CASE WHEN audit_entries.connection_id IS excluded.connection_id
           AND audit_entries.integration_key IS excluded.integration_key THEN excluded.connection_id END`,
      [JSON.stringify(entries)],
    );
  }

  async list(
    db: ReadHandle,
    filter: AuditFilter,
    page: { offset: number; limit: number; isAscending: boolean },
  ): Promise<AuditEntry[]> {
    const where = whereOf(filter);
    const direction = page.isAscending ? 'ASC' : 'DESC';
    const rows = await db.all<Omit<AuditEntry, 'hasKey'> & { hasKey: number }>(
      `SELECT seq, environment_id AS environmentId, at, action, result, key_id AS keyId, app,
         integration_key AS integrationKey, connection_id AS connectionId, subject, count, entries, firstAt,
         EXISTS (SELECT 1 FROM api_keys WHERE id = key_id) AS hasKey
       FROM (${filter.isGrouped ? groupsOf(where.sql) : `SELECT ${COLUMNS}, 1 AS entries, at AS firstAt FROM audit_entries WHERE ${where.sql}`})
       ORDER BY at ${direction}, seq ${direction} LIMIT ? OFFSET ?`,
      [...where.params, page.limit, page.offset],
    );
    return rows.map((row) => ({ ...row, hasKey: row.hasKey === 1 }));
  }

  count(db: ReadHandle, filter: AuditFilter, isExact = false): Promise<RowCount> {
    const where = whereOf(filter);
    const rows = filter.isGrouped ? groupsOf(where.sql) : `SELECT 1 FROM audit_entries WHERE ${where.sql}`;
    return countRows(db, rows, where.params, { isExact });
  }

  /** Counts of the most frequent apps or integrations. */
  countBy(
    db: ReadHandle,
    environmentId: number,
    member: 'app' | 'integration',
  ): Promise<Array<{ key: string; count: number }>> {
    const column = member === 'app' ? 'app' : 'integration_key';
    return db.all(
      `SELECT ${column} AS key, count(*) AS count FROM audit_entries
       WHERE environment_id = ? AND ${column} IS NOT NULL GROUP BY ${column} ORDER BY count DESC, key LIMIT ?`,
      [environmentId, MOST_VALUES[member]],
    );
  }

  async getSnapshot(db: ReadHandle): Promise<number> {
    const row = await db.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM audit_entries');
    return row?.seq ?? 0;
  }

  /** Removes up to `limit` entries that are older than `before`; resolves to the number removed. */
  async removeOld(tx: Transaction, before: number, limit: number): Promise<number> {
    const { changes } = await tx.run(
      'DELETE FROM audit_entries WHERE seq IN (SELECT seq FROM audit_entries WHERE at < ? ORDER BY at LIMIT ?)',
      [before, limit],
    );
    return changes;
  }
}

/**
 * Entries that follow each other in time and have the same act, result and key, as one row, which names what all of them
 * have in common. The difference of the two numbers stays the same as long as nothing else comes between them.
 */
const groupsOf = (where: string): string => {
  const common = (column: string): string =>
    `CASE WHEN count(${column}) = count(*) AND min(${column}) = max(${column}) THEN min(${column}) END AS ${column}`;
  return `SELECT max(seq) AS seq, max(environment_id) AS environment_id, max(at) AS at, action, result, key_id, app,
      ${common('integration_key')}, ${common('connection_id')}, ${common('subject')}, sum(count) AS count,
      count(*) AS entries, min(at) AS firstAt
    FROM (SELECT ${COLUMNS}, row_number() OVER (ORDER BY at, seq)
        - row_number() OVER (PARTITION BY action, result, key_id, app ORDER BY at, seq) AS island
      FROM audit_entries WHERE ${where})
    GROUP BY action, result, key_id, app, island`;
};

/** Entries of the whole hub belong to every environment. */
function whereOf(filter: AuditFilter): Conditions {
  const where = new Conditions('(environment_id = ? OR environment_id IS NULL)', filter.environmentId);
  const addChosen = (column: string, values: readonly string[] | undefined): void =>
    where.addOneOf(column, values?.length === 0 ? undefined : values);
  addChosen('action', filter.actions);
  addChosen('result', filter.results);
  addChosen('app', filter.apps);
  addChosen('integration_key', filter.integrations);
  if (filter.from !== undefined) where.add('at >= ?', filter.from);
  if (filter.to !== undefined) where.add('at <= ?', filter.to);
  if (filter.search) {
    where.add(
      "instr(lower(coalesce(app, '') || char(10) || coalesce(subject, '') || char(10) || coalesce(integration_key, '') || char(10) || coalesce(connection_id, '')), lower(?)) > 0",
      filter.search,
    );
  }
  if (filter.snapshot !== undefined) where.add('seq <= ?', filter.snapshot);
  return where;
}
