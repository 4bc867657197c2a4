import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** What a picker of connections offers: the first matches, the ones in use before the others. */
export function useConnectionOptions(search: string) {
  const env = useEnv();
  return useQuery({
    queryKey: [...keys.connections(env), 'options', search],
    queryFn: ({ signal }) =>
      request('GET /api/v1/connections', { query: { env, search, limit: 50, sort: '-used' } }, signal),
    select: (answer) => answer.data,
    placeholderData: keepPreviousData,
  });
}
