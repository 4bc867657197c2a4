import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** The first matches, for the palette. */
export function useFunctionSearch(search: string) {
  const env = useEnv();
  return useQuery({
    queryKey: [...keys.functions(env), 'search', search],
    queryFn: ({ signal }) => request('GET /api/v1/functions', { query: { env, search, limit: 6 } }, signal),
    select: (answer) => answer.data,
    enabled: search.length > 1,
    placeholderData: keepPreviousData,
  });
}
