import type { ReadHandle } from '../database/database.ts';
import { FAILED_RUNS_IN_A_ROW } from './sync-jobs-store.ts';
import { IS_OPEN_FAILURE } from './webhook-deliveries-store.ts';

/**
 * An active error of a connection, with the names that a line about it shows. Times are in milliseconds since the
 * epoch.
 */
export interface ProblemRow {
  type: 'auth' | 'sync';
  operationId: string;
  at: number;
  error: string | null;
  connectionId: string;
  displayName: string | null;
  integrationKey: string;
  integrationName: string | null;
  provider: string;
  sync: string | null;
  variant: string | null;
  failures: number;
}

/** Schedules of one function with the same frequency whose next run is in the same slot. */
export interface PlannedRow {
  integrationKey: string;
  integrationName: string | null;
  provider: string;
  sync: string;
  frequencyMs: number;
  connections: number;
  /** Time of the earliest run. */
  nextAt: number;
}

/** A paused sync does not fail, although its last run did (the status rule of http-api.md, GET /sync/status). */
export const IS_NOT_PAUSED = "NOT EXISTS (SELECT 1 FROM schedules h WHERE h.id = e.source AND h.state = 'paused')";

const PROBLEMS = `FROM connection_errors e
  JOIN connections c ON c.id = e.connection_row_id AND c.deleted_at IS NULL
  JOIN integrations i ON i.id = c.integration_id
  LEFT JOIN syncs s ON e.type = 'sync' AND s.id = e.source
  WHERE c.environment_id = ? AND (e.type = 'auth' OR (s.id IS NOT NULL AND s.deleted_at IS NULL AND ${IS_NOT_PAUSED} AND NOT EXISTS (
    SELECT 1 FROM connection_errors a WHERE a.connection_row_id = e.connection_row_id AND a.type = 'auth')))`;

/** Counts and lists of the overview, across tables; reads only. */
export class OverviewStore {
  /** Newest first. Counts are computed for the listed lines only. */
  async listProblems(db: ReadHandle, environmentId: number, limit: number): Promise<ProblemRow[]> {
    return db.all(
      `WITH problems AS MATERIALIZED (
         SELECT e.type, e.log_id AS operationId, e.created_at AS at, c.connection_id AS connectionId,
           COALESCE(c.end_user ->> 'displayName', c.tags ->> 'end_user_display_name') AS displayName,
           i.unique_key AS integrationKey, i.display_name AS integrationName, i.provider,
           s.row_id AS syncRowId, s.name AS sync, s.variant
         ${PROBLEMS} ORDER BY e.created_at DESC, e.connection_row_id DESC LIMIT ?)
       SELECT p.type, p.operationId, p.at, o.error ->> 'message' AS error, p.connectionId, p.displayName,
         p.integrationKey, p.integrationName, p.provider, p.sync, p.variant,
         ${FAILED_RUNS_IN_A_ROW.replaceAll('s.row_id', 'p.syncRowId')} AS failures
       FROM problems p LEFT JOIN log_operations o ON o.id = p.operationId
       ORDER BY p.at DESC, p.operationId`,
      [environmentId, limit],
    );
  }

  async countProblems(db: ReadHandle, environmentId: number): Promise<number> {
    const row = await db.get<{ total: number }>(`SELECT COUNT(*) AS total ${PROBLEMS}`, [environmentId]);
    return row?.total ?? 0;
  }

  /** Webhooks that were given up and wait for a person. */
  async findGivenUp(db: ReadHandle, environmentId: number): Promise<{ count: number; lastId: string } | undefined> {
    const row = await db.get<{ count: number; lastSeq: number | null; lastId: string | null }>(
      `SELECT COUNT(*) AS count, MAX(seq) AS lastSeq, id AS lastId
       FROM webhook_deliveries INDEXED BY webhook_deliveries_list
       WHERE environment_id = ? AND ${IS_OPEN_FAILURE}`,
      [environmentId],
    );
    return row?.lastId ? { count: row.count, lastId: row.lastId } : undefined;
  }

  /** Started schedules whose next run is before `until`, grouped by slots of `slotMs` from `now` on. */
  async listPlanned(
    db: ReadHandle,
    of: { environmentId: number; now: number; until: number; slotMs: number },
  ): Promise<PlannedRow[]> {
    return db.all(
      `SELECT i.unique_key AS integrationKey, i.display_name AS integrationName, i.provider, s.name AS sync,
         h.frequency_ms AS frequencyMs, COUNT(*) AS connections, MIN(h.next_execution_at) AS nextAt
       FROM integrations i JOIN syncs s ON s.integration_id = i.id JOIN schedules h ON h.id = s.id
       WHERE i.environment_id = ?1 AND i.deleted_at IS NULL AND s.deleted_at IS NULL AND h.state = 'started'
         AND h.next_execution_at < ?3
       GROUP BY i.id, s.name, h.frequency_ms, MAX(CAST((h.next_execution_at - ?2) / ?4 AS INTEGER), 0)
       ORDER BY nextAt`,
      [of.environmentId, of.now, of.until, of.slotMs],
    );
  }
}
