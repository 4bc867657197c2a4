import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';

/** Ends every pause of all schedules; an event updates the status bar. */
export function useResumeSchedules() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('POST /api/v1/schedules/resume', { body: {} }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.meta }),
  });
}

/** Pauses all schedules for this long; null: until a person resumes them. */
export function usePauseSchedules() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (minutes: number | null) =>
      request('POST /api/v1/schedules/pause', {
        body: { until: minutes === null ? null : new Date(Date.now() + minutes * 60_000).toISOString() },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.meta }),
  });
}
