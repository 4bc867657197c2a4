import type { ReadHandle, Transaction } from '../platform/database/database.ts';
import type { DeliveryStep } from './webhook-deliveries.store.ts';

/** One request of a delivery and its response. */
export interface WebhookAttemptRow extends DeliveryStep {
  startedAt: number;
  durationMs: number;
  /** Absent when no response came. */
  code: number | null;
  /** Code of the failure, when no response came. */
  error: string | null;
  /** Sealed JSON of the response. */
  response: string;
}

export class WebhookAttemptsStore {
  /** Sorted by the time of the attempt. */
  async list(db: ReadHandle, deliverySeq: number): Promise<WebhookAttemptRow[]> {
    return db.all(
      `SELECT destination, attempt, started_at AS startedAt, duration_ms AS durationMs, code, error, response
       FROM webhook_attempts WHERE delivery_seq = ? ORDER BY destination, attempt`,
      [deliverySeq],
    );
  }

  /** Destinations that accepted the delivery. */
  async listServed(db: ReadHandle, deliverySeq: number): Promise<number[]> {
    const rows = await db.all<{ destination: number }>(
      'SELECT destination FROM webhook_attempts WHERE delivery_seq = ? AND code BETWEEN 200 AND 299',
      [deliverySeq],
    );
    return rows.map((row) => row.destination);
  }

  async insert(tx: Transaction, deliverySeq: number, row: WebhookAttemptRow): Promise<void> {
    await tx.run(
      `INSERT INTO webhook_attempts (delivery_seq, destination, attempt, started_at, duration_ms, code, error, response)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      [deliverySeq, row.destination, row.attempt, row.startedAt, row.durationMs, row.code, row.error, row.response],
    );
  }
}
