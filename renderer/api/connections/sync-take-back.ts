import { useQueryClient } from '@tanstack/react-query';
import { type TakeBack, undoneText } from '../../lib/take-back.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';

/** Syncs of one request (`MAX_CHANGED_SYNCS` of the contract is its limit). */
const AT_ONCE = 5_000;

/** Returns the way back from a pause or a resume: exactly the syncs that it changed are set back. */
export function useSyncTakeBack(): (
  command: 'pause' | 'resume',
  changed: readonly string[] | undefined,
) => TakeBack | undefined {
  const env = useEnv();
  const client = useQueryClient();
  return (command, changed) => {
    if (!changed || changed.length === 0) return undefined;
    const undo = async (): Promise<string> => {
      let count = 0;
      for (let from = 0; from < changed.length; from += AT_ONCE) {
        const body = { command, syncs: changed.slice(from, from + AT_ONCE) };
        count += (await request('POST /api/v1/sync/undo', { query: { env }, body })).count;
      }
      void client.invalidateQueries({ queryKey: keys.environment(env) });
      return undoneText(command === 'pause' ? 'Started again' : 'Paused again', count, changed.length);
    };
    return { undo };
  };
}
