import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

export function useConnectionCount(filter: { search?: string | undefined; integrations?: string | undefined }) {
  const env = useEnv();
  return useQuery({
    queryKey: [...keys.connections(env), 'count', filter],
    queryFn: ({ signal }) => request('GET /api/v1/connections/count', { query: { env, ...filter } as never }, signal),
    placeholderData: keepPreviousData,
  });
}
