import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

export function useOperation(operationId: string) {
  const env = useEnv();
  return useQuery({
    queryKey: keys.operation(env, operationId),
    queryFn: ({ signal }) =>
      request('GET /api/v1/logs/operations/:operationId', { params: { operationId }, query: { env } }, signal),
  });
}
