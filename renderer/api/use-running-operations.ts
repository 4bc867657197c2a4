import { useQuery } from '@tanstack/react-query';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** The newest of what runs now; `runs` keys are refetched whenever an operation changes. */
export function useRunningOperations(limit: number) {
  const env = useEnv();
  return useQuery({
    queryKey: [env, 'runs', 'running', limit],
    queryFn: ({ signal }) =>
      request('GET /api/v1/logs/operations', { query: { env, states: 'running', limit } }, signal),
  });
}
