import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** The first matches, for the palette. */
export function useConnectionSearch(search: string) {
  const env = useEnv();
  return useQuery({
    queryKey: [...keys.connections(env), 'search', search],
    queryFn: ({ signal }) => request('GET /api/v1/connections', { query: { env, search, limit: 6 } }, signal),
    select: (answer) => answer.data,
    enabled: search.length > 1,
    placeholderData: keepPreviousData,
  });
}
