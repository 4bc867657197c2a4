import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** The first connections with an active error, and how many there are. */
export function useFailingConnections(limit: number) {
  const env = useEnv();
  return useQuery({
    queryKey: [...keys.connections(env), 'failing', limit],
    queryFn: ({ signal }) =>
      request('GET /api/v1/connections', { query: { env, status: 'error', sort: '-used', limit } }, signal),
  });
}
