import { useQueryClient } from '@tanstack/react-query';
import type { TakeBack } from '../../lib/take-back.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';

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
      const body = { command, syncs: [...changed] };
      const { count } = await request('POST /api/v1/sync/undo', {
        query: { env },
        body,
      });
      void client.invalidateQueries({ queryKey: keys.environment(env) });
      const done = command === 'pause' ? 'Started again' : 'Paused again';
      return count === changed.length ? done : `${done}: ${count} of ${changed.length}. The others were changed since`;
    };
    return { undo };
  };
}
