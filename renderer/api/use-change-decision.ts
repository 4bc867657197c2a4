import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { McpDecision } from './contract.ts';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** Says in advance what a client may do with a tool; `policy` null takes it back. */
export function useChangeDecision() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: McpDecision) => request('PUT /api/v1/mcp/decisions', { query: { env }, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.mcp(env) }),
  });
}
