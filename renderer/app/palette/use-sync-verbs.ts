import { useOrderAnySync } from '../../api/connections/order-any-sync.ts';
import { notifyError } from '../../components/notice/notify.ts';
import { notifyUndoable } from '../../components/notice/notify-undoable.ts';
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
      const { integrationKey, name } = sync;
      const { takeBack } = await order.mutateAsync({ integrationKey, sync: name, command: verb, ...on });
      const variant = on && on.variant !== 'base' ? ` (${on.variant})` : '';
      const where = on ? `${on.connectionId}${variant}` : 'every connection';
      notifyUndoable(`${name} ${DONE[verb]} on ${where}`, takeBack);
    } catch (error) {
      notifyError(error);
    }
  };
}
