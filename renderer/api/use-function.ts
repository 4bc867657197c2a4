import { useQuery } from '@tanstack/react-query';
import type { FunctionType } from './contract.ts';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

export interface FunctionRef {
  integrationKey: string;
  type: FunctionType;
  name: string;
}

export function useFunction(params: FunctionRef) {
  const env = useEnv();
  return useQuery({
    queryKey: [...keys.functions(env), 'one', params],
    queryFn: ({ signal }) =>
      request('GET /api/v1/functions/:integrationKey/:type/:name', { params, query: { env } }, signal),
  });
}
