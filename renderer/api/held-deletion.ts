import { useQueryClient } from '@tanstack/react-query';
import type { TakeBack } from '../lib/take-back.ts';
import { keys } from './query-keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** Query of a deletion that waits for some seconds, so that it can be undone. */
export const HOLD = { hold: 'true' } as const;

/** Returns the way back from a deletion that waits; none from one that has happened. */
export function useHeldTakeBack(): (held: { id: string } | undefined) => TakeBack | undefined {
  const env = useEnv();
  const client = useQueryClient();
  return (held) => {
    if (!held) return undefined;
    const of = { params: { deletionId: held.id }, query: { env } };
    const refetch = () => client.invalidateQueries({ queryKey: keys.environment(env) });
    return {
      undo: async () => {
        await request('POST /api/v1/deletions/:deletionId/undo', of);
        void refetch();
        return 'Nothing was deleted';
      },
      keep: () => request('POST /api/v1/deletions/:deletionId/keep', of),
      end: async () => {
        await request('POST /api/v1/deletions/:deletionId/end', of);
        void refetch();
      },
    };
  };
}
