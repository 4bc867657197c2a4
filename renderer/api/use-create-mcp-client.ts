import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** A key that may call tools and nothing else. Its secret is in this answer only, and never cached. */
export function useCreateMcpClient() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => request('POST /api/v1/mcp/clients', { query: { env }, body: { name } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.mcp(env) }),
    gcTime: 0,
  });
}
