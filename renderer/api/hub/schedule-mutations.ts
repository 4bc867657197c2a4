import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { TakeBack } from '../../lib/take-back.ts';
import { type ChangeNotice, useSend } from '../use-change.ts';
import { metaQueryOptions } from './hub-queries.ts';

/** Ends every pause of all schedules; an event updates the status bar. Resolves to the way back. */
export function useResumeSchedules(notice: ChangeNotice) {
  const send = useSend();
  const client = useQueryClient();
  return useMutation({
    meta: notice,
    mutationFn: async (): Promise<TakeBack | undefined> => {
      const before = client.getQueryData(metaQueryOptions().queryKey)?.health.pausedSchedules?.pauses;
      await send('POST /api/v1/schedules/resume', { body: {} });
      if (!before) return undefined;
      const undo = async (): Promise<string> => {
        const left = before.filter(({ until }) => until === null || Date.parse(until) > Date.now());
        for (const pause of left) await send('POST /api/v1/schedules/pause', { body: pause });
        return left.length > 0 ? 'Schedules paused again' : 'The pause would be over by now';
      };
      return { undo };
    },
  });
}

/** Pauses all schedules for this long; null: until a person resumes them. Resolves to the way back. */
export function usePauseSchedules(notice: ChangeNotice) {
  const send = useSend();
  const client = useQueryClient();
  return useMutation({
    meta: notice,
    mutationFn: async (minutes: number | null): Promise<TakeBack> => {
      const before = client.getQueryData(metaQueryOptions().queryKey)?.health.pausedSchedules?.pauses;
      const until = minutes === null ? null : new Date(Date.now() + minutes * 60_000).toISOString();
      await send('POST /api/v1/schedules/pause', { body: { reason: 'person', until } });
      const undo = async (): Promise<string> => {
        const own = before?.find(({ reason }) => reason === 'person');
        if (own) await send('POST /api/v1/schedules/pause', { body: own });
        else await send('POST /api/v1/schedules/resume', { body: { reason: 'person' } });
        return own ? 'The pause is as before' : 'Schedules run again';
      };
      return { undo };
    },
  });
}
