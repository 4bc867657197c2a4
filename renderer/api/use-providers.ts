import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';

/** The whole catalogue; it does not change while the page is open. */
export function useProviders() {
  return useQuery({
    queryKey: keys.providers,
    queryFn: ({ signal }) => request('GET /api/v1/providers', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
    select: (answer) => answer.data,
  });
}
