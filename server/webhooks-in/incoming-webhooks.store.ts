import { CONNECTIONS_NAMED } from '../connections/connection-overviews.store.ts';
import { Conditions } from '../platform/database/conditions.ts';
import { countRows, type RowCount } from '../platform/database/count-rows.ts';
import type { ReadHandle, Transaction } from '../platform/database/database.ts';
import { MOST_VALUES } from '../platform/database/most-values.ts';

/** What the hub decided when it arrived. */
export type WebhookDecision = 'handled' | 'handshake' | 'refused' | 'error';
/** `installed`: the webhook completed an installation at the provider. */
export type StoredOutcome = WebhookDecision | 'installed';
/** What came of it, with the runs and deliveries that it caused (design.md 7.53). */
export type WebhookOutcome = WebhookDecision | 'forwarded' | 'ignored' | 'failed';

/**
 * `unchecked`: the hub knows no secret to check it with. `skipped`: the user repeated the webhook without a check.
 * `unsupported`: the provider's webhooks carry no signature that the hub knows.
 */
export type SignatureState = 'valid' | 'invalid' | 'unchecked' | 'skipped' | 'unsupported';

/** A provider's webhook as it arrived, and its outcome. */
export interface IncomingWebhookRow {
  /** Increases with every webhook. */
  seq: number;
  id: string;
  environmentId: number;
  integrationKey: string;
  provider: string;
  method: string;
  /** Without the query, which may contain secrets. */
  path: string;
  /** Sealed JSON: query and headers. */
  request: string;
  /** True when the body is stored. */
  hasBody: boolean;
  sizeBytes: number;
  outcome: WebhookOutcome;
  /** Status of the response. */
  status: number;
  /** Null when the webhook was not checked. */
  signature: SignatureState | null;
  /** Why the webhook was refused. */
  message: string | null;
  eventTypes: string[];
  /** The connections that it matched. */
  connectionIds: string[];
  /** Number of deliveries to the caller's application. */
  forwards: number;
  operationId: string | null;
  /** Id of the webhook that this one repeats. */
  replayOf: string | null;
  durationMs: number;
  receivedAt: number;
}

export type NewIncomingWebhook = Omit<IncomingWebhookRow, 'seq' | 'hasBody' | 'outcome'> & { outcome: StoredOutcome };

export interface IncomingWebhookFilter {
  environmentId: number;
  integrations?: readonly string[] | undefined;
  connections?: readonly string[] | undefined;
  outcomes?: readonly string[] | undefined;
  /** Text to find in event types, connection ids, message, integration and id. */
  search?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
  /** Highest `seq` to include. */
  snapshot?: number | undefined;
}

export interface IncomingWebhookOrder {
  by: 'time' | 'size' | 'duration';
  direction: 'asc' | 'desc';
  offset: number;
  limit: number;
  isExactCount?: boolean;
}

type SqlRow = Omit<IncomingWebhookRow, 'hasBody' | 'eventTypes' | 'connectionIds'> & {
  hasBody: number;
  eventTypes: string;
  connectionIds: string;
};

const RUNS = 'SELECT 1 FROM webhook_runs r WHERE r.webhook_id = incoming_webhooks.id';
/** Whether a forward failed and was not sent again since. */
const HAS_FAILED_FORWARD = `EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.incoming_id = incoming_webhooks.id AND d.state = 'failed'
  AND NOT EXISTS (SELECT 1 FROM webhook_deliveries n WHERE n.origin_id = d.id))`;
/** Handled by a function, else forwarded, else nobody listened; failed when one of these failed. */
const OUTCOME = `CASE WHEN outcome = 'installed' THEN 'handled' WHEN outcome <> 'handled' THEN outcome
  WHEN EXISTS (${RUNS} AND r.state IN ('failed', 'expired')) OR ${HAS_FAILED_FORWARD} THEN 'failed'
  WHEN EXISTS (${RUNS}) THEN 'handled' WHEN forwards > 0 THEN 'forwarded' ELSE 'ignored' END`;

const COLUMNS = `seq, id, environment_id AS environmentId, integration_key AS integrationKey, provider, method, path,
  request, body IS NOT NULL AS hasBody, size_bytes AS sizeBytes, ${OUTCOME} AS outcome, status, signature, message, event_types AS eventTypes,
  connection_ids AS connectionIds, forwards, operation_id AS operationId, replay_of AS replayOf,
  duration_ms AS durationMs, received_at AS receivedAt`;

const ORDERS = {
  time: { desc: 'received_at DESC, seq DESC', asc: 'received_at, seq' },
  size: { desc: 'size_bytes DESC, seq DESC', asc: 'size_bytes, seq' },
  duration: { desc: 'duration_ms DESC, seq DESC', asc: 'duration_ms, seq' },
} as const;

/** A webhook with a run that has not ended is kept, because the end of the run is stored in it. */
const IS_SETTLED =
  'NOT EXISTS (SELECT 1 FROM webhook_runs WHERE webhook_id = incoming_webhooks.id AND ended_at IS NULL)';

export class IncomingWebhooksStore {
  /** `body` is sealed; null when it is not stored. */
  async insert(tx: Transaction, row: NewIncomingWebhook & { body: string | null }): Promise<void> {
    await tx.run(
      `INSERT INTO incoming_webhooks (id, environment_id, integration_key, provider, method, path, request, body,
         size_bytes, outcome, status, signature, message, event_types, connection_ids, forwards, operation_id, replay_of,
         duration_ms, received_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        row.id,
        row.environmentId,
        row.integrationKey,
        row.provider,
        row.method,
        row.path,
        row.request,
        row.body,
        row.sizeBytes,
        row.outcome,
        row.status,
        row.signature,
        row.message,
        JSON.stringify(row.eventTypes),
        JSON.stringify(row.connectionIds),
        row.forwards,
        row.operationId,
        row.replayOf,
        row.durationMs,
        row.receivedAt,
      ],
    );
  }

  async find(db: ReadHandle, environmentId: number, id: string): Promise<IncomingWebhookRow | undefined> {
    const row = await db.get<SqlRow>(`SELECT ${COLUMNS} FROM incoming_webhooks WHERE id = ? AND environment_id = ?`, [
      id,
      environmentId,
    ]);
    return row && toWebhook(row);
  }

  /** Sealed. */
  async findBody(db: ReadHandle, id: string): Promise<string | undefined> {
    const row = await db.get<{ body: string | null }>('SELECT body FROM incoming_webhooks WHERE id = ?', [id]);
    return row?.body ?? undefined;
  }

  async list(
    db: ReadHandle,
    filter: IncomingWebhookFilter,
    order: IncomingWebhookOrder,
  ): Promise<IncomingWebhookRow[]> {
    const { sql: where, params } = conditions(filter);
    const rows = await db.all<SqlRow>(
      `SELECT ${COLUMNS} FROM incoming_webhooks WHERE ${where}
       ORDER BY ${ORDERS[order.by][order.direction]} LIMIT ? OFFSET ?`,
      [...params, order.limit, order.offset],
    );
    return rows.map(toWebhook);
  }

  count(db: ReadHandle, filter: IncomingWebhookFilter, isExact = false): Promise<RowCount> {
    const { sql: where, params } = conditions(filter);
    return countRows(db, `SELECT 1 FROM incoming_webhooks WHERE ${where}`, params, { isExact });
  }

  /** The most frequent integrations. */
  countByIntegration(db: ReadHandle, environmentId: number): Promise<Array<{ key: string; count: number }>> {
    return db.all(
      `SELECT integration_key AS key, count(*) AS count FROM incoming_webhooks WHERE environment_id = ?
       GROUP BY integration_key ORDER BY count DESC, key LIMIT ?`,
      [environmentId, MOST_VALUES.integration],
    );
  }

  /**
   * The most frequent connections of webhooks, at most 20; with `integration`, of the webhooks of that integration
   * only.
   */
  countByConnection(
    db: ReadHandle,
    environmentId: number,
    { search, integration }: { search: string; integration?: string | undefined },
  ): Promise<Array<{ key: string; count: number }>> {
    return db.all(
      `SELECT named.value AS key, count(*) AS count FROM incoming_webhooks, json_each(connection_ids) AS named
       WHERE environment_id = ? AND (? IS NULL OR integration_key = ?) 
         AND (instr(lower(named.value), lower(?)) > 0 OR named.value IN (${CONNECTIONS_NAMED}))
       GROUP BY named.value ORDER BY count DESC, named.value LIMIT ?`,
      [environmentId, integration ?? null, integration ?? null, search, environmentId, search, MOST_VALUES.connection],
    );
  }

  async getSnapshot(db: ReadHandle): Promise<number> {
    const row = await db.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM incoming_webhooks');
    return row?.seq ?? 0;
  }

  /** Removes the oldest `limit` webhooks from before a time; resolves to the number removed. */
  async removeOlderThan(
    tx: Transaction,
    { environmentId, before, limit }: { environmentId: number; before: number; limit: number },
  ): Promise<number> {
    const { changes } = await tx.run(
      `DELETE FROM incoming_webhooks WHERE seq IN (
         SELECT seq FROM incoming_webhooks WHERE environment_id = ? AND received_at < ? AND ${IS_SETTLED}
         ORDER BY received_at, seq LIMIT ?)`,
      [environmentId, before, limit],
    );
    return changes;
  }

  /** Removes up to `limit` of the oldest webhooks beyond the newest `keep`; resolves to the number removed. */
  async removeBeyond(tx: Transaction, { keep, limit }: { keep: number; limit: number }): Promise<number> {
    const { changes } = await tx.run(
      `DELETE FROM incoming_webhooks WHERE seq IN (
         SELECT seq FROM incoming_webhooks
         WHERE seq <= (SELECT seq FROM incoming_webhooks ORDER BY seq DESC LIMIT 1 OFFSET ?) AND ${IS_SETTLED}
         ORDER BY seq LIMIT ?)`,
      [keep, limit],
    );
    return changes;
  }

  /** Removes the oldest bodies until the rest fits; resolves to the bytes that remain. */
  async dropBodiesBeyond(tx: Transaction, maxBytes: number): Promise<number> {
    const [last] = await tx.all<{ seq: number }>(
      `SELECT seq FROM (
         SELECT seq, sum(size_bytes) OVER (ORDER BY seq DESC) AS total FROM incoming_webhooks WHERE body IS NOT NULL)
       WHERE total > ? ORDER BY seq DESC LIMIT 1`,
      [maxBytes],
    );
    if (last) await tx.run('UPDATE incoming_webhooks SET body = NULL WHERE seq <= ? AND body IS NOT NULL', [last.seq]);
    const row = await tx.get<{ total: number | null }>(
      'SELECT sum(size_bytes) AS total FROM incoming_webhooks WHERE body IS NOT NULL',
    );
    return row?.total ?? 0;
  }
}

function toWebhook({ hasBody, eventTypes, connectionIds, ...row }: SqlRow): IncomingWebhookRow {
  return {
    ...row,
    hasBody: hasBody === 1,
    eventTypes: JSON.parse(eventTypes) as string[],
    connectionIds: JSON.parse(connectionIds) as string[],
  };
}

function conditions(filter: IncomingWebhookFilter): Conditions {
  const where = new Conditions('environment_id = ?', filter.environmentId);
  if (filter.from !== undefined) where.add('received_at >= ?', filter.from);
  if (filter.to !== undefined) where.add('received_at <= ?', filter.to);
  if (filter.snapshot !== undefined) where.add('seq <= ?', filter.snapshot);
  where.addOneOf('integration_key', filter.integrations);
  where.addOneOf(OUTCOME, filter.outcomes);
  if (filter.connections) {
    where.add(
      'EXISTS (SELECT 1 FROM json_each(connection_ids) AS one WHERE one.value IN (SELECT value FROM json_each(?)))',
      JSON.stringify(filter.connections),
    );
  }
  if (filter.search) {
    const texts = "concat_ws(' ', id, integration_key, message, event_types, connection_ids)";
    where.add(`instr(lower(${texts}), lower(?)) > 0`, filter.search);
  }
  return where;
}

export type WebhookRunState = 'queued' | 'running' | 'success' | 'failed' | 'expired';

/** One run of a sync's `onWebhook` for one connection. */
export interface WebhookRunRow {
  id: string;
  /** The webhook that started it. */
  webhookId: string;
  environmentId: number;
  functionName: string;
  connectionId: string;
  /** Sealed JSON; null after the run has ended. */
  content: string | null;
  state: WebhookRunState;
  /** Operation of the log; null before the run starts. */
  operationId: string | null;
  createdAt: number;
  endedAt: number | null;
}

const RUN_COLUMNS = `id, webhook_id AS webhookId, environment_id AS environmentId, function_name AS functionName,
  connection_id AS connectionId, content, state, operation_id AS operationId, created_at AS createdAt,
  ended_at AS endedAt`;

export class WebhookRunsStore {
  async find(db: ReadHandle, id: string): Promise<WebhookRunRow | undefined> {
    return db.get(`SELECT ${RUN_COLUMNS} FROM webhook_runs WHERE id = ?`, [id]);
  }

  /** Oldest first. */
  async listOf(db: ReadHandle, webhookIds: readonly string[]): Promise<WebhookRunRow[]> {
    if (webhookIds.length === 0) return [];
    return db.all(
      `SELECT ${RUN_COLUMNS} FROM webhook_runs WHERE webhook_id IN (SELECT value FROM json_each(?))
       ORDER BY created_at, function_name, connection_id, id`,
      [JSON.stringify(webhookIds)],
    );
  }

  async insert(tx: Transaction, run: Omit<WebhookRunRow, 'state' | 'operationId' | 'endedAt'>): Promise<void> {
    await tx.run(
      `INSERT INTO webhook_runs (id, webhook_id, environment_id, function_name, connection_id, content, state, created_at)
       VALUES (?, ?, ?, ?, ?, ?, 'queued', ?)`,
      [run.id, run.webhookId, run.environmentId, run.functionName, run.connectionId, run.content, run.createdAt],
    );
  }

  async setRunning(tx: Transaction, id: string, operationId: string): Promise<void> {
    await tx.run(`UPDATE webhook_runs SET state = 'running', operation_id = ? WHERE id = ?`, [operationId, id]);
  }

  /** Also removes the payload, which is not needed any more. */
  async setEnded(
    tx: Transaction,
    id: string,
    end: { state: WebhookRunState; operationId: string | null; endedAt: number },
  ): Promise<void> {
    await tx.run(
      `UPDATE webhook_runs SET state = ?, operation_id = coalesce(?, operation_id), ended_at = ?, content = NULL
       WHERE id = ?`,
      [end.state, end.operationId, end.endedAt, id],
    );
  }
}
