import { type TakeBack, undoneText } from '../../lib/take-back.ts';
import type { SyncCommand } from '../contract.ts';
import { useSend } from '../use-change.ts';

/** Syncs of one request (`MAX_CHANGED_SYNCS` of the contract is its limit). */
const AT_ONCE = 5_000;

/** Returns the way back from a pause or a resume: exactly the syncs that it changed are set back. */
export function useSyncTakeBack(): (
  command: 'pause' | 'resume',
  changed: readonly string[] | undefined,
) => TakeBack | undefined {
  const send = useSend();
  return (command, changed) => {
    if (!changed || changed.length === 0) return undefined;
    const undo = async (): Promise<string> => {
      let count = 0;
      for (let from = 0; from < changed.length; from += AT_ONCE) {
        const body = { command, syncs: changed.slice(from, from + AT_ONCE) };
        count += (await send('POST /api/v1/sync/undo', { body })).count;
      }
      return undoneText(command === 'pause' ? 'Started again' : 'Paused again', count, changed.length);
    };
    return { undo };
  };
}

export interface SyncOrder {
  integrationKey: string;
  /** Absent: every connection that has the sync, in all variants. */
  connectionId?: string | undefined;
  sync: string;
  variant?: string;
  command: SyncCommand;
  deleteRecords?: boolean;
}

/** The order as the hub takes it, and the way back from a pause or a resume that its answer names. */
export function useSyncOrder() {
  const takeBackOf = useSyncTakeBack();
  return {
    bodyOf: ({ connectionId, ...order }: SyncOrder) => ({
      ...order,
      ...(connectionId === undefined ? {} : { connectionId }),
      ...(order.command === 'PAUSE' || order.command === 'UNPAUSE' ? { wantsChanged: true } : {}),
    }),
    wayBack: ({ command }: Pick<SyncOrder, 'command'>, changed: readonly string[] | undefined) =>
      takeBackOf(command === 'PAUSE' ? 'pause' : 'resume', changed),
  };
}
