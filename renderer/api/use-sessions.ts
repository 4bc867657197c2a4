import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';

/** Browsers that are signed in to the dashboard, the last used first. */
export function useSessions() {
  return useQuery({
    queryKey: keys.sessions,
    queryFn: ({ signal }) => request('GET /api/v1/sessions', {}, signal),
    select: (answer) => answer.data,
  });
}
