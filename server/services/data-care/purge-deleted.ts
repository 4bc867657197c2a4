import type { Database } from '../../database/database.ts';
import type { ConnectionsStore } from '../../stores/connections-store.ts';
import type { IntegrationsStore } from '../../stores/integrations-store.ts';

const DAY_MS = 86_400_000;
/** Rows per transaction: other writers wait behind one slice only. */
const SLICE = 500;

export interface PurgeOptions {
  database: Pick<Database, 'transaction'>;
  connections: ConnectionsStore;
  integrations: IntegrationsStore;
  /** Days that logs of an environment are kept; null: for good, and so are its deleted rows. */
  retentionDays(environmentId: number): number | null;
  now: number;
}

/**
 * Removes the rows of connections and integrations that were deleted longer ago than logs are kept: until then logs
 * may name them (design.md 7.36). Returns how many went.
 */
export async function purgeDeleted(
  { database, connections, integrations, retentionDays, now }: PurgeOptions,
  environmentIds: readonly number[],
  isStopped = (): boolean => false,
): Promise<number> {
  let purged = 0;
  for (const environmentId of environmentIds) {
    const days = retentionDays(environmentId);
    if (days === null) continue;
    const before = now - days * DAY_MS;
    let count: number;
    do {
      if (isStopped()) return purged;
      count = await database.transaction((tx) => connections.purgeDeleted(tx, { environmentId, before, limit: SLICE }));
      purged += count;
    } while (count === SLICE);
    purged += await database.transaction((tx) => integrations.purgeDeleted(tx, { environmentId, before }));
  }
  return purged;
}
