import { CUSTOMER } from '../connections/connection-overviews.store.ts';
import { AT_NOW, IS_FAILED_SYNC, IS_FAILING_SYNC, NEEDS_SIGN_IN } from '../connections/connection-status.store.ts';
import { Conditions } from '../platform/database/conditions.ts';
import type { ReadHandle } from '../platform/database/database.ts';
import { FAILED_RUNS_IN_A_ROW } from '../syncs/syncs.store.ts';
import { IS_OPEN_FAILURE } from '../webhooks-out/webhook-deliveries.store.ts';

/** A failing sync, or a connection that needs a sign-in. Times are in milliseconds since the epoch. */
export interface ProblemRow {
  /** Null when no operation found it: the credentials ended by themselves. */
  operationId: string | null;
  at: number;
  /** Text of the operation's error; null when there is none, or the log has deleted it. */
  error: string | null;
  errorType: string | null;
  /** JSON text of the provider's refusal. */
  refusal: string | null;
  connectionId: string;
  displayName: string | null;
  integrationKey: string;
  integrationName: string | null;
  provider: string;
  sync: string | null;
  variant: string | null;
  syncRowId: number | null;
  /** 1 when the run has failed, but its end is still on its way into the log. */
  isEnding: number;
}

/** Webhooks that were given up with the same outcome at the same destination. */
export interface OpenFailureRow {
  /** Null for addresses of the settings and of connections. */
  webhookDestinationId: string | null;
  destination: number;
  code: number | null;
  lastError: string | null;
  count: number;
  /** The newest one. */
  lastId: string;
  at: number;
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

const OF_CONNECTION = `c.connection_id AS connectionId,
  ${CUSTOMER} AS displayName,
  i.unique_key AS integrationKey, i.display_name AS integrationName, i.provider`;
const OF_ERROR = `o.error ->> 'type' AS errorType, o.error ->> 'refusal' AS refusal`;

/** Counts and lists of the overview, across tables; reads only. */
export class OverviewStore {
  /**
   * Failing syncs, newest first, also of one function only. Left out are those of connections that need a sign-in,
   * which is the cause then, and paused ones unless `hasPaused`.
   */
  async listFailingSyncs(
    db: ReadHandle,
    of: { environmentId: number; now: number; integrationKey?: string; sync?: string; hasPaused?: boolean },
  ): Promise<ProblemRow[]> {
    const where = new Conditions(
      `c.environment_id = ? AND c.deleted_at IS NULL AND s.deleted_at IS NULL AND ${of.hasPaused ? IS_FAILED_SYNC : IS_FAILING_SYNC} AND NOT ${NEEDS_SIGN_IN}`,
      of.environmentId,
    );
    if (of.integrationKey !== undefined) where.add('i.unique_key = ?', of.integrationKey);
    if (of.sync !== undefined) where.add('s.name = ?', of.sync);
    return db.all(
      `${AT_NOW} SELECT e.log_id AS operationId, e.created_at AS at,
         COALESCE(o.error ->> 'message', (SELECT j.error FROM sync_jobs j WHERE j.id = s.latest_job_id)) AS error,
         ${OF_ERROR}, ${OF_CONNECTION}, s.name AS sync, s.variant, s.row_id AS syncRowId,
         o.id IS NOT NULL AND o.ended_at IS NULL AS isEnding
       FROM connections c JOIN integrations i ON i.id = c.integration_id
       JOIN connection_errors e ON e.connection_row_id = c.id JOIN syncs s ON s.id = e.source
       LEFT JOIN log_operations o ON o.id = e.log_id
       WHERE ${where.sql} ORDER BY e.created_at DESC, c.id DESC, s.row_id`,
      [of.now, ...where.params],
    );
  }

  /** Connections that need a sign-in, newest first; of one integration with `integrationKey`. */
  async listLostConnections(
    db: ReadHandle,
    of: { environmentId: number; now: number; integrationKey?: string },
  ): Promise<ProblemRow[]> {
    const where = new Conditions(
      `c.environment_id = ? AND c.deleted_at IS NULL AND ${NEEDS_SIGN_IN}`,
      of.environmentId,
    );
    if (of.integrationKey !== undefined) where.add('i.unique_key = ?', of.integrationKey);
    return db.all(
      `${AT_NOW} SELECT e.log_id AS operationId,
         COALESCE(e.created_at, c.credentials_end_at, c.last_refresh_failure_at, c.updated_at) AS at,
         o.error ->> 'message' AS error, ${OF_ERROR}, ${OF_CONNECTION}, NULL AS sync, NULL AS variant, NULL AS syncRowId,
         0 AS isEnding
       FROM connections c JOIN integrations i ON i.id = c.integration_id
       LEFT JOIN connection_errors e ON e.connection_row_id = c.id AND e.type = 'auth'
       LEFT JOIN log_operations o ON o.id = e.log_id
       WHERE ${where.sql} ORDER BY at DESC, c.id DESC`,
      [of.now, ...where.params],
    );
  }

  /** The most failed runs of one of these syncs since its last successful one. */
  async findMostFailures(db: ReadHandle, syncRowIds: readonly number[]): Promise<number> {
    const row = await db.get<{ failures: number | null }>(
      `SELECT MAX(${FAILED_RUNS_IN_A_ROW}) AS failures FROM syncs s WHERE s.row_id IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(syncRowIds)],
    );
    return row?.failures ?? 0;
  }

  /** Webhooks that were given up and wait for a person, by destination and outcome, newest first. */
  async listOpenFailures(db: ReadHandle, environmentId: number): Promise<OpenFailureRow[]> {
    return db.all(
      `SELECT webhook_destination_id AS webhookDestinationId, destination, last_code AS code, last_error AS lastError,
         COUNT(*) AS count, MAX(seq) AS seq, id AS lastId, COALESCE(finished_at, created_at) AS at
       FROM webhook_deliveries INDEXED BY webhook_deliveries_list
       WHERE environment_id = ? AND ${IS_OPEN_FAILURE}
       GROUP BY webhook_destination_id, destination, last_code, last_error ORDER BY seq DESC`,
      [environmentId],
    );
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
