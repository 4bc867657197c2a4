import type { OperationRow } from '../log/operations.store.ts';
import { addUp, CHART_SLOTS, slotOf, slotOfBars } from '../platform/database/count-slots.ts';
import type { ReadHandle, Transaction } from '../platform/database/database.ts';

const ENDED = ['success', 'failed', 'timeout'];

/** What is needed to count a request that has ended. */
export type CountedRequest = Pick<OperationRow, 'environmentId' | 'type' | 'state' | 'integrationKey' | 'createdAt'> &
  Partial<Pick<OperationRow, 'details'>>;

/** Requests of one bar of a chart. */
export interface ProxyCountRow {
  bucket: number;
  /** Provider of the integration; the integration's key when the integration is gone. */
  provider: string;
  /** First digit of the status; 0 when no response came. */
  statusClass: number;
  calls: number;
}

/** Counts of proxied requests by integration and status, kept beside the log (migration 0042). */
export class ProxyCountsStore {
  /** Counts ended operations; pass each operation once. Operations of a deleted environment are left out. */
  async add(tx: Transaction, operations: readonly CountedRequest[]): Promise<void> {
    const counted = operations.filter(
      (one) => one.type === 'proxy' && one.integrationKey !== null && ENDED.includes(one.state),
    );
    if (counted.length === 0) return;
    const entries = counted.flatMap((one) =>
      CHART_SLOTS.map(([slotMs]) => ({
        parts: [one.environmentId, slotMs, slotOf(one.createdAt, slotMs), one.integrationKey, statusClassOf(one)],
        counts: [1],
      })),
    );
    await tx.run(
      `INSERT INTO proxy_counts (environment_id, slot_ms, slot, integration_key, status_class, calls)
       SELECT entry ->> 0, entry ->> 1, entry ->> 2, entry ->> 3, entry ->> 4, entry ->> 5
       FROM (SELECT value AS entry FROM json_each(?)) JOIN environments ON id = entry ->> 0 WHERE TRUE
       ON CONFLICT (environment_id, slot_ms, slot, integration_key, status_class) DO UPDATE SET calls = calls + excluded.calls`,
      [JSON.stringify(addUp(entries))],
    );
  }

  /** Requests of a period by bucket, added up from slots that divide a bucket. */
  list(
    db: ReadHandle,
    of: { environmentId: number; from: number; to: number },
    bucket: { sizeMs: number; offsetMs: number },
  ): Promise<ProxyCountRow[]> {
    const slotMs = slotOfBars(bucket.sizeMs);
    return db.all(
      `SELECT CAST((p.slot - ?) / ? AS INTEGER) AS bucket, ifnull(i.provider, p.integration_key) AS provider,
         p.status_class AS statusClass, sum(p.calls) AS calls
       FROM proxy_counts p LEFT JOIN integrations i
         ON i.environment_id = p.environment_id AND i.unique_key = p.integration_key AND i.deleted_at IS NULL
       WHERE p.environment_id = ? AND p.slot_ms = ? AND p.slot >= ? AND p.slot <= ? GROUP BY 1, 2, 3`,
      [bucket.offsetMs, bucket.sizeMs, of.environmentId, slotMs, slotOf(of.from, slotMs), of.to],
    );
  }

  /** Removes counts that are too old for every chart. */
  async removeOld(tx: Transaction, now: number): Promise<void> {
    // Each environment is a range of the primary key; without the list of environments every row would be read.
    for (const [slotMs, keptMs] of CHART_SLOTS)
      await tx.run(
        `DELETE FROM proxy_counts
         WHERE environment_id IN (SELECT id FROM environments) AND slot_ms = ? AND slot < ?`,
        [slotMs, now - keptMs],
      );
  }
}

/** The proxy stores the status of the provider's response in the details of the operation. */
function statusClassOf({ details }: CountedRequest): number {
  const meta = details?.meta;
  const status = typeof meta === 'object' && meta !== null && 'status' in meta ? meta.status : undefined;
  return typeof status === 'number' ? Math.floor(status / 100) : 0;
}
