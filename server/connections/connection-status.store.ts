import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** The status of a connection, from best to worst (design.md 7.53). Queries compute the index in this list. */
export const STATUSES = ['ok', 'paused', 'sync_error', 'auth_error'] as const;
export type ConnectionStatus = (typeof STATUSES)[number];

/** What decides the status of a connection. */
export interface StatusFacts {
  /** The provider refused the credentials, or the hub cannot read them. */
  hasAuthError: boolean;
  isRefreshExhausted: boolean;
  /** When the credentials end if nothing can renew them, in milliseconds since the epoch; null when they do not. */
  credentialsEndAt: number | null;
  /** Its live syncs. */
  syncs: ReadonlyArray<{ hasFailed: boolean; isPaused: boolean }>;
}

/** The status from its facts. `STATUS` is the same rule in SQL; a test compares them. */
export function statusOf(facts: StatusFacts, now: number): ConnectionStatus {
  const { credentialsEndAt: endAt, syncs } = facts;
  const hasEnded = endAt !== null && endAt !== UNKNOWN_END && endAt <= now;
  if (facts.hasAuthError || facts.isRefreshExhausted || hasEnded) return 'auth_error';
  if (syncs.some(({ hasFailed, isPaused }) => hasFailed && !isPaused)) return 'sync_error';
  return syncs.length > 0 && syncs.every(({ isPaused }) => isPaused) ? 'paused' : 'ok';
}

/** For rows from before the end was stored, until the vault is unlocked and the hub has looked. */
export const UNKNOWN_END = -1;

/** Begins a query that uses `NEEDS_SIGN_IN` or `STATUS`; its parameter, the first one, is the current time. */
export const AT_NOW = 'WITH moment (now) AS (SELECT ?)';

/** A paused sync does not fail, although its last run did (the status rule of http-api.md, GET /sync/status). */
const IS_NOT_PAUSED = "NOT EXISTS (SELECT 1 FROM schedules h WHERE h.id = e.source AND h.state = 'paused')";
const ERRORS = 'SELECT 1 FROM connection_errors e WHERE e.connection_row_id = c.id';

/** For connections `c`. */
export const NEEDS_SIGN_IN = `(c.is_refresh_exhausted = 1
  OR (c.credentials_end_at IS NOT NULL AND c.credentials_end_at <> ${UNKNOWN_END} AND c.credentials_end_at <= (SELECT now FROM moment))
  OR EXISTS (${ERRORS} AND e.type = 'auth'))`;
/** For errors `e`: the last run of a sync failed. */
export const IS_FAILED_SYNC = "e.type = 'sync'";
/** For errors `e`: the last run of a sync failed, and the sync is not paused. */
export const IS_FAILING_SYNC = `${IS_FAILED_SYNC} AND ${IS_NOT_PAUSED}`;
export const IS_SYNC_FAILING = `EXISTS (${ERRORS} AND ${IS_FAILING_SYNC})`;
const ARE_ALL_PAUSED = `(SELECT COUNT(*) > 0 AND MIN(COALESCE(h.state, '') = 'paused') FROM syncs s LEFT JOIN schedules h ON h.id = s.id
  WHERE s.connection_row_id = c.id AND s.deleted_at IS NULL)`;
/** Index in `STATUSES`, for connections `c`. */
export const STATUS = `CASE WHEN ${NEEDS_SIGN_IN} THEN 3 WHEN ${IS_SYNC_FAILING} THEN 2 WHEN ${ARE_ALL_PAUSED} THEN 1 ELSE 0 END`;

/** When credentials end that older versions stored; only the sealed credentials tell it. */
export class ConnectionEndsStore {
  /** Row ids of connections whose end nobody has looked at, after a row id. */
  async listUnknown(db: ReadHandle, after: number, limit: number): Promise<number[]> {
    const rows = await db.all<{ id: number }>(
      `SELECT id FROM connections WHERE id > ? AND credentials_end_at = ${UNKNOWN_END} AND deleted_at IS NULL
       ORDER BY id LIMIT ?`,
      [after, limit],
    );
    return rows.map(({ id }) => id);
  }

  async set(tx: Transaction, ends: ReadonlyArray<[id: number, endAt: number | null]>): Promise<void> {
    await tx.run(
      `UPDATE connections SET credentials_end_at = found.value ->> 1
       FROM json_each(?) AS found WHERE connections.id = found.value ->> 0 AND credentials_end_at = ${UNKNOWN_END}`,
      [JSON.stringify(ends)],
    );
  }
}
