import type { TakeBack } from '../lib/take-back.ts';
import { useSend } from './use-change.ts';

/** Query of a deletion that waits for some seconds, so that it can be undone. */
export const HOLD = { hold: 'true' } as const;

/** Returns the way back from a deletion that waits; none from one that has happened. */
export function useHeldTakeBack(): (held: { id: string } | undefined) => TakeBack | undefined {
  const send = useSend();
  return (held) => {
    if (!held) return undefined;
    const of = { params: { deletionId: held.id } };
    return {
      undo: async () => {
        await send('POST /api/v1/deletions/:deletionId/undo', of);
        return 'Nothing was deleted';
      },
      keep: () => send('POST /api/v1/deletions/:deletionId/keep', of),
      end: () => send('POST /api/v1/deletions/:deletionId/end', of),
    };
  };
}
