import { CONNECTIONS_NAMED } from '../connections/connection-overviews.store.ts';
import { Conditions } from '../platform/database/conditions.ts';
import { countRows, type RowCount } from '../platform/database/count-rows.ts';
import type { ReadHandle, Transaction } from '../platform/database/database.ts';
import { MOST_VALUES } from '../platform/database/most-values.ts';

/** The progress of a delivery: its next attempt, or its last one when it has ended. */
export interface DeliveryStep {
  /** Index into the delivery's destinations; those before it are finished. */
  destination: number;
  /** From 1, per destination. */
  attempt: number;
}

export type DeliveryState = 'waiting' | 'delivered' | 'failed';

/** The columns of lists; the sealed rest is read for one delivery at a time. */
export interface WebhookDeliveryRow extends DeliveryStep {
  /** Increases with every delivery. */
  seq: number;
  id: string;
  environmentId: number;
  state: DeliveryState;
  type: string;
  cause: string;
  /** The delivery that this one repeats. */
  originId: string | null;
  /** The provider's webhook that it forwards. */
  incomingId: string | null;
  /** The further destination of this delivery; null for addresses of the settings and other addresses. */
  webhookDestinationId: string | null;
  integrationKey: string | null;
  connectionId: string | null;
  /** One sentence. */
  message: string;
  /** The log operation that its last attempt wrote to. */
  operationId: string | null;
  /** Number of destinations that were given up. */
  failures: number;
  lastCode: number | null;
  lastError: string | null;
  lastDurationMs: number | null;
  createdAt: number;
  nextAttemptAt: number | null;
  finishedAt: number | null;
  /** Sealed JSON. */
  destinations: string;
}

export interface StoredDelivery extends WebhookDeliveryRow {
  /** Sealed JSON. */
  content: string;
}

export type NewDelivery = Omit<
  StoredDelivery,
  'seq' | 'state' | 'operationId' | 'failures' | 'lastCode' | 'lastError' | 'lastDurationMs' | 'finishedAt'
>;

/** The columns that an attempt changes. */
export interface DeliveryProgress extends DeliveryStep {
  state: DeliveryState;
  operationId: string;
  failures: number;
  lastCode: number | null;
  lastError: string | null;
  lastDurationMs: number;
  nextAttemptAt: number | null;
  finishedAt: number | null;
}

export interface DeliveryFilter {
  environmentId: number;
  states?: readonly string[] | undefined;
  types?: readonly string[] | undefined;
  integrations?: readonly string[] | undefined;
  connections?: readonly string[] | undefined;
  /** Text within message, ids and keys; case is ignored. */
  search?: string | undefined;
  /** The outcome of the last attempt, and the destination that it was for. */
  outcome?:
    | { webhookDestinationId: string | null; destination: number; code: number | null; lastError: string | null }
    | undefined;
  /** Highest `seq` to include. */
  snapshot?: number | undefined;
}

const LIST_COLUMNS = `seq, id, environment_id AS environmentId, state, type, cause, origin_id AS originId,
  incoming_id AS incomingId, webhook_destination_id AS webhookDestinationId, integration_key AS integrationKey, connection_id AS connectionId, message, operation_id AS operationId, destination,
  attempt, failures, last_code AS lastCode, last_error AS lastError, last_duration_ms AS lastDurationMs,
  created_at AS createdAt, next_attempt_at AS nextAttemptAt, finished_at AS finishedAt, destinations`;

/** Every filter is answered from this index alone; table rows are read only for the page that is shown. */
const FROM_INDEX = 'FROM webhook_deliveries INDEXED BY webhook_deliveries_list';

/**
 * Failed deliveries that were not repeated yet. Failures of a deleted further destination do not count: nothing may be
 * sent to its address unless a person repeats that very webhook.
 */
export const IS_OPEN_FAILURE = `state = 'failed'
  AND NOT EXISTS (SELECT 1 FROM webhook_deliveries AS repeats WHERE repeats.origin_id = webhook_deliveries.id)
  AND (webhook_destination_id IS NULL OR webhook_destination_id IN (SELECT id FROM webhook_destinations))`;

function whereOf(filter: DeliveryFilter): Conditions {
  const where = new Conditions('environment_id = ?', filter.environmentId);
  where.addOneOf('state', filter.states);
  where.addOneOf('type', filter.types);
  where.addOneOf('integration_key', filter.integrations);
  where.addOneOf('connection_id', filter.connections);
  if (filter.search)
    where.add("instr(lower(concat_ws(' ', message, integration_key, connection_id, id)), lower(?)) > 0", filter.search);
  if (filter.outcome) {
    const { webhookDestinationId, destination, code, lastError } = filter.outcome;
    where.add('webhook_destination_id IS ?', webhookDestinationId);
    where.add('destination = ?', destination);
    where.add('last_code IS ?', code);
    where.add('last_error IS ?', lastError);
  }
  if (filter.snapshot !== undefined) where.add('seq <= ?', filter.snapshot);
  return where;
}

export interface DeliveryValuesQuery {
  member: 'integration' | 'connection';
  search?: string | undefined;
  /** Only values of deliveries of this integration. */
  integration?: string | undefined;
}

export class WebhookDeliveriesStore {
  async find(db: ReadHandle, id: string): Promise<StoredDelivery | undefined> {
    return db.get(`SELECT ${LIST_COLUMNS}, content FROM webhook_deliveries WHERE id = ?`, [id]);
  }

  /** Newest first, unless `isAscending`. */
  async list(
    db: ReadHandle,
    filter: DeliveryFilter,
    page: { offset: number; limit: number; isAscending?: boolean },
  ): Promise<WebhookDeliveryRow[]> {
    const where = whereOf(filter);
    const order = page.isAscending ? 'seq' : 'seq DESC';
    return db.all(
      `SELECT ${LIST_COLUMNS} FROM webhook_deliveries
       WHERE seq IN (SELECT seq ${FROM_INDEX} WHERE ${where.sql} ORDER BY ${order} LIMIT ? OFFSET ?) ORDER BY ${order}`,
      [...where.params, page.limit, page.offset],
    );
  }

  count(db: ReadHandle, filter: DeliveryFilter, isExact = false): Promise<RowCount> {
    const where = whereOf(filter);
    return countRows(db, `SELECT 1 ${FROM_INDEX} WHERE ${where.sql}`, where.params, { isExact });
  }

  /** The most frequent values of a column, most frequent first; connections also by the name of their customer. */
  countBy(
    db: ReadHandle,
    environmentId: number,
    { member, search = '', integration }: DeliveryValuesQuery,
  ): Promise<Array<{ key: string; count: number }>> {
    const column = member === 'integration' ? 'integration_key' : 'connection_id';
    return db.all(
      `SELECT ${column} AS key, count(*) AS count ${FROM_INDEX}
       WHERE environment_id = ? AND ${column} IS NOT NULL
         AND (instr(lower(${column}), lower(?)) > 0 OR ${column} IN (${CONNECTIONS_NAMED}))
         AND (? IS NULL OR integration_key = ?)
       GROUP BY ${column} ORDER BY count DESC, key LIMIT ?`,
      [environmentId, search, environmentId, search, integration ?? null, integration ?? null, MOST_VALUES[member]],
    );
  }

  /**
   * States of the deliveries that forward these webhooks. A delivery that was repeated counts with the state of its
   * repetition.
   */
  listForwardStates(
    db: ReadHandle,
    incomingIds: readonly string[],
  ): Promise<Array<{ incomingId: string; state: DeliveryState }>> {
    return db.all(
      `SELECT DISTINCT incoming_id AS incomingId, state FROM webhook_deliveries
       WHERE incoming_id IN (SELECT value FROM json_each(?))
         AND NOT EXISTS (SELECT 1 FROM webhook_deliveries AS repeats WHERE repeats.origin_id = webhook_deliveries.id)`,
      [JSON.stringify(incomingIds)],
    );
  }

  async getSnapshot(db: ReadHandle): Promise<number> {
    const row = await db.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM webhook_deliveries');
    return row?.seq ?? 0;
  }

  /** Ids of deliveries that wait for a person (`IS_OPEN_FAILURE`), oldest first, after the `seq` in `after`. */
  async listUnrepeated(
    db: ReadHandle,
    filter: DeliveryFilter,
    slice: { after: number; limit: number },
  ): Promise<Array<{ seq: number; id: string }>> {
    const where = whereOf(filter);
    return db.all(
      `SELECT seq, id ${FROM_INDEX} WHERE ${where.sql} AND seq > ? AND ${IS_OPEN_FAILURE} ORDER BY seq LIMIT ?`,
      [...where.params, slice.after, slice.limit],
    );
  }

  async insert(tx: Transaction, row: NewDelivery): Promise<void> {
    await tx.run(
      `INSERT INTO webhook_deliveries (id, environment_id, state, type, cause, origin_id, incoming_id,
         webhook_destination_id, integration_key, connection_id, message, destination, attempt, failures, created_at, next_attempt_at, destinations, content)
       VALUES (?, ?, 'waiting', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?)`,
      [
        row.id,
        row.environmentId,
        row.type,
        row.cause,
        row.originId,
        row.incomingId,
        row.webhookDestinationId,
        row.integrationKey,
        row.connectionId,
        row.message,
        row.destination,
        row.attempt,
        row.createdAt,
        row.nextAttemptAt,
        row.destinations,
        row.content,
      ],
    );
  }

  async updateProgress(tx: Transaction, seq: number, to: DeliveryProgress): Promise<void> {
    await tx.run(
      `UPDATE webhook_deliveries SET state = ?, operation_id = ?, destination = ?, attempt = ?, failures = ?,
         last_code = ?, last_error = ?, last_duration_ms = ?, next_attempt_at = ?, finished_at = ? WHERE seq = ?`,
      [
        to.state,
        to.operationId,
        to.destination,
        to.attempt,
        to.failures,
        to.lastCode,
        to.lastError,
        to.lastDurationMs,
        to.nextAttemptAt,
        to.finishedAt,
        seq,
      ],
    );
  }

  /**
   * Ends deliveries that wait for a further destination, as failed with `error`; resolves to their ids. Attempts that
   * were made are kept.
   */
  async failWaiting(
    tx: Transaction,
    { webhookDestinationId, error, now }: { webhookDestinationId: string; error: string; now: number },
  ): Promise<string[]> {
    const waiting = "webhook_destination_id = ? AND state = 'waiting'";
    const rows = await tx.all<{ id: string }>(`SELECT id FROM webhook_deliveries WHERE ${waiting} ORDER BY seq`, [
      webhookDestinationId,
    ]);
    await tx.run(
      `UPDATE webhook_deliveries SET state = 'failed', failures = 1, last_code = NULL, last_error = ?,
         next_attempt_at = NULL, finished_at = ? WHERE ${waiting}`,
      [error, now, webhookDestinationId],
    );
    return rows.map(({ id }) => id);
  }

  /** Removes up to `limit` deliveries that ended before `before`; resolves to the number removed. */
  async removeFinished(
    tx: Transaction,
    query: { environmentId: number; before: number; limit: number },
  ): Promise<number> {
    const { changes } = await tx.run(
      `DELETE FROM webhook_deliveries WHERE seq IN
         (SELECT seq FROM webhook_deliveries INDEXED BY webhook_deliveries_finished
          WHERE environment_id = ? AND finished_at < ? ORDER BY finished_at LIMIT ?)`,
      [query.environmentId, query.before, query.limit],
    );
    return changes;
  }
}
