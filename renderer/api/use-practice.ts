import { useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** Sets up the practice provider with one connection. */
export function usePractice() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('POST /api/v1/practice', { query: { env } }),
    onSuccess: () => client.invalidateQueries({ queryKey: [env] }),
  });
}
