import type { ReadHandle, Transaction } from '../platform/database/database.ts';

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

const COLUMNS = `id, webhook_id AS webhookId, environment_id AS environmentId, function_name AS functionName,
  connection_id AS connectionId, content, state, operation_id AS operationId, created_at AS createdAt,
  ended_at AS endedAt`;

export class WebhookRunsStore {
  async find(db: ReadHandle, id: string): Promise<WebhookRunRow | undefined> {
    return db.get(`SELECT ${COLUMNS} FROM webhook_runs WHERE id = ?`, [id]);
  }

  /** Oldest first. */
  async listOf(db: ReadHandle, webhookIds: readonly string[]): Promise<WebhookRunRow[]> {
    if (webhookIds.length === 0) return [];
    return db.all(
      `SELECT ${COLUMNS} FROM webhook_runs WHERE webhook_id IN (SELECT value FROM json_each(?))
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
