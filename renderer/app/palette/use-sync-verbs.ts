import { describeError } from '../../api/api-error.ts';
import { useOrderAnySync } from '../../api/connections/connections-mutations.ts';
import { notifyDone, notifyError } from '../../components/notify.ts';
import type { SyncVerb } from './palette-entry.ts';

const DONE: Record<SyncVerb, string> = {
  RUN: 'started',
  PAUSE: 'paused',
  UNPAUSE: 'resumed',
  CANCEL: 'cancelled',
};

interface SyncOrder {
  verb: SyncVerb;
  sync: { integrationKey: string; name: string };
  /** Absent: every connection. */
  on?: { connectionId: string; variant: string };
}

/** Runs, pauses, resumes or cancels a sync, and says how that ended. */
export function useSyncVerbs(): (order: SyncOrder) => Promise<void> {
  const order = useOrderAnySync();
  return async ({ verb, sync, on }) => {
    // The palette is closed by then, so callbacks of `mutate` would not be called.
    try {
      await order.mutateAsync({ integrationKey: sync.integrationKey, sync: sync.name, command: verb, on });
      const variant = on && on.variant !== 'base' ? ` (${on.variant})` : '';
      notifyDone(`${sync.name} ${DONE[verb]} on ${on ? `${on.connectionId}${variant}` : 'every connection'}`);
    } catch (error) {
      notifyError(describeError(error));
    }
  };
}
