import type { Readable, Writable } from '../database/database.ts';

/** Where a delivery stands: the next attempt. */
export interface DeliveryStep {
  /** Index into the delivery's destinations; those before it are done with. */
  destination: number;
  /** From 1, per destination. */
  attempt: number;
}

export interface WebhookDeliveryRow extends DeliveryStep {
  id: string;
  environmentId: number;
  /** Sealed JSON. */
  content: string;
  /** Destinations that were given up. */
  failures: number;
}

export class WebhookDeliveriesStore {
  async find(db: Readable, id: string): Promise<WebhookDeliveryRow | undefined> {
    return db.get(
      `SELECT id, environment_id AS environmentId, content, destination, attempt, failures
       FROM webhook_deliveries WHERE id = ?`,
      [id],
    );
  }

  async insert(tx: Writable, row: WebhookDeliveryRow & { now: number }): Promise<void> {
    await tx.run(
      `INSERT INTO webhook_deliveries (id, environment_id, content, destination, attempt, failures, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      [row.id, row.environmentId, row.content, row.destination, row.attempt, row.failures, row.now],
    );
  }

  async updateStep(tx: Writable, id: string, next: DeliveryStep & { failures: number }): Promise<void> {
    await tx.run('UPDATE webhook_deliveries SET destination = ?, attempt = ?, failures = ? WHERE id = ?', [
      next.destination,
      next.attempt,
      next.failures,
      id,
    ]);
  }

  async remove(tx: Writable, id: string): Promise<void> {
    await tx.run('DELETE FROM webhook_deliveries WHERE id = ?', [id]);
  }
}
