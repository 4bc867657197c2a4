import { ErasuresStore } from '../data/erasures.store.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Scheduler } from '../platform/scheduler/scheduler.ts';

/** Kind of the job that removes what names a person (design.md 7.56). */
export const ERASE_PERSON = 'erase-person';

/** Payload of a job. */
export interface ErasureJob {
  erasureId: string;
  /** How often something was in progress. */
  look: number;
  /** Everything was read while no work was in progress: only a session of the person is waited for. */
  isScanned: boolean;
}

export type ErasureRequests = ReturnType<typeof createErasureRequests>;

/** Asks for the removal of what names the people of deleted connections. */
export function createErasureRequests({
  clock,
  ids,
  scheduler,
}: {
  clock: Clock;
  ids: Ids;
  scheduler: Pick<Scheduler, 'enqueue'>;
}) {
  const erasures = new ErasuresStore();

  return {
    /** Call it in the transaction of the deletion, before the connections are removed. */
    async add(tx: Transaction, connectionRowIds: readonly number[]): Promise<void> {
      const connections = connectionRowIds.map((id) => ({ id, erasureId: ids.uuid() }));
      for (const erasureId of await erasures.insertFor(tx, connections, clock.now()))
        await scheduler.enqueue(tx, {
          kind: ERASE_PERSON,
          payload: { erasureId, look: 0, isScanned: false } satisfies ErasureJob,
        });
    },
  };
}
