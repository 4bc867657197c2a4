import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** Null: the hub's own address. */
export function useUpdateCallback() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (callbackUrl: string | null) =>
      request('PATCH /api/v1/callback', { query: { env }, body: { callbackUrl } }),
    onSuccess: (saved) => {
      client.setQueryData(keys.callback(env), saved);
      // Every integration shows it.
      return client.invalidateQueries({ queryKey: keys.integrations(env) });
    },
  });
}
