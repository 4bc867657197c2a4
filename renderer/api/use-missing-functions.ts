import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { MissingFunctions } from './contract.ts';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** No event tells that so many files are missing at once that nothing was switched off. */
const ASK_EVERY_MS = 10_000;

/** Functions whose files are missing. */
export function useMissingFunctions() {
  const env = useEnv();
  return useQuery({
    queryKey: [...keys.functions(env), 'missing'],
    queryFn: ({ signal }) => request('GET /api/v1/functions/missing', { query: { env } }, signal),
    refetchInterval: ASK_EVERY_MS,
  });
}

export function useConfirmMissing() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('POST /api/v1/functions/missing/confirm', { query: { env } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.functions(env) }),
  });
}

export function usePruneFunctions() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (functions: MissingFunctions['functions']) =>
      request('POST /api/v1/functions/missing/prune', {
        query: { env },
        body: { functions: functions.map(({ integrationKey, type, name }) => ({ integrationKey, type, name })) },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: [env] }),
  });
}
