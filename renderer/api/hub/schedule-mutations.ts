import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { TakeBack } from '../../lib/take-back.ts';
import type { Meta } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';

type SchedulesPause = NonNullable<Meta['health']['pausedSchedules']>;
type SinglePause = NonNullable<SchedulesPause['pauses']>[number];

const pauseSchedules = (body: SinglePause) => request('POST /api/v1/schedules/pause', { body });

/** Ends every pause of all schedules; an event updates the status bar. Resolves to the way back. */
export function useResumeSchedules() {
  const client = useQueryClient();
  const changed = () => client.invalidateQueries({ queryKey: keys.meta });
  return useMutation({
    mutationFn: async (): Promise<TakeBack | undefined> => {
      const before = client.getQueryData<Meta>(keys.meta)?.health.pausedSchedules?.pauses;
      await request('POST /api/v1/schedules/resume', { body: {} });
      if (!before) return undefined;
      const undo = async (): Promise<string> => {
        const left = before.filter(({ until }) => until === null || Date.parse(until) > Date.now());
        for (const pause of left) await pauseSchedules(pause);
        void changed();
        return left.length > 0 ? 'Schedules paused again' : 'The pause would be over by now';
      };
      return { undo };
    },
    onSuccess: changed,
  });
}

/** Pauses all schedules for this long; null: until a person resumes them. Resolves to the way back. */
export function usePauseSchedules() {
  const client = useQueryClient();
  const changed = () => client.invalidateQueries({ queryKey: keys.meta });
  return useMutation({
    mutationFn: async (minutes: number | null): Promise<TakeBack> => {
      const before = client.getQueryData<Meta>(keys.meta)?.health.pausedSchedules?.pauses;
      const until = minutes === null ? null : new Date(Date.now() + minutes * 60_000).toISOString();
      await pauseSchedules({ reason: 'person', until });
      const undo = async (): Promise<string> => {
        const own = before?.find(({ reason }) => reason === 'person');
        if (own) await pauseSchedules(own);
        else
          await request('POST /api/v1/schedules/resume', {
            body: { reason: 'person' },
          });
        void changed();
        return own ? 'The pause is as before' : 'Schedules run again';
      };
      return { undo };
    },
    onSuccess: changed,
  });
}
