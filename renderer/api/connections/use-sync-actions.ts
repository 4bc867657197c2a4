import { useMutation } from '@tanstack/react-query';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import type { CauseCommand, OperationListItem, SyncCommand } from '../contract.ts';
import { request } from '../request.ts';
import { type ChangeNotice, useSend } from '../use-change.ts';
import { useEnv } from '../use-env.ts';
import { type SyncOrder, useSyncOrder, useSyncTakeBack } from './sync-take-back.ts';

/** What was done, after the name of the sync. */
const DONE: Record<SyncCommand, string> = {
  PAUSE: 'paused',
  UNPAUSE: 'resumed',
  CANCEL: 'cancelled',
  RUN: 'started',
  RUN_FULL: 'started from the beginning',
};

/** "contacts started". */
export const doneWords = (_: unknown, { sync, command }: SyncOrder): string => `${sync} ${DONE[command]}`;
export const SAYS_DONE: ChangeNotice = { done: doneWords };

/** Runs, cancels, pauses or resumes syncs of one name; resolves to the operation of a run, and to the way back. */
export function useSyncActions(notice: ChangeNotice = SAYS_DONE) {
  const send = useSend();
  const { bodyOf, wayBack } = useSyncOrder();
  return useMutation({
    meta: notice,
    mutationFn: async (order: SyncOrder) => {
      const { operationId, changed } = await send('POST /api/v1/sync/command', { body: bodyOf(order) });
      return { operationId, takeBack: wayBack(order, changed) };
    },
  });
}

/** Cancels the sync run of an operation. The list of operations does not name the variant, so it is fetched first. */
export function useCancelRun() {
  const env = useEnv();
  const send = useSend();
  return useMutation({
    meta: {
      done: (_: unknown, run: OperationListItem) => `${run.syncConfigName ?? run.message} is being cancelled`,
    },
    mutationFn: async ({ id, integrationName, connectionName, syncConfigName }: OperationListItem) => {
      if (!integrationName || !connectionName || !syncConfigName) throw new Error('Only sync runs can be cancelled.');
      const of = { params: { operationId: id }, query: { env } };
      const { meta } = await request('GET /api/v1/logs/operations/:operationId', of);
      const variant = typeof meta?.['variant'] === 'string' ? meta['variant'] : 'base';
      const ref = { integrationKey: integrationName, connectionId: connectionName, sync: syncConfigName, variant };
      await send('POST /api/v1/sync/command', { body: { ...ref, command: 'CANCEL' } });
    },
  });
}

const DONE_TO_ALL: Record<CauseCommand['command'], (count: number) => string> = {
  run: (count) => `${formatCount(count, 'sync')} started`,
  pause: (count) => `${formatCount(count, 'sync')} paused`,
  replay: (count) => `${formatCount(count, 'webhook is', 'webhooks are')} sent again`,
};

/** Acts on all failures with one cause. A single sync is called by its name, if that is given. */
export function useActOnCause(sync?: string) {
  const send = useSend();
  const takeBackOf = useSyncTakeBack();
  return useMutation({
    meta: {
      done: ({ count, failed }: { count: number; failed: number }, { command }: CauseCommand) => {
        const rest = failed > 0 ? `, ${formatNumber(failed)} could not be reached` : '';
        const done = DONE_TO_ALL[command](count);
        return `${count === 1 && sync ? done.replace('1 sync', sync) : done}${rest}`;
      },
    },
    mutationFn: async (order: CauseCommand) => {
      const body = { ...order, ...(order.command === 'pause' ? { wantsChanged: true } : {}) };
      const { changed, ...counts } = await send('POST /api/v1/overview/causes', { body });
      return { ...counts, takeBack: takeBackOf('pause', changed) };
    },
  });
}
