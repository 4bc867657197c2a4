import { useQuery } from '@tanstack/react-query';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';
import type { FunctionRef } from './use-function.ts';

const TYPE_FILTER = { sync: 'sync:run', action: 'action', 'on-event': 'events' } as const;

/** The newest 50 runs of a function; `runs` keys are refetched whenever an operation changes. */
export function useFunctionRuns({ integrationKey, type, name }: FunctionRef) {
  const env = useEnv();
  return useQuery({
    queryKey: [env, 'runs', integrationKey, type, name],
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/logs/operations',
        { query: { env, integrations: integrationKey, syncs: name, types: TYPE_FILTER[type], limit: 50 } },
        signal,
      ),
  });
}
