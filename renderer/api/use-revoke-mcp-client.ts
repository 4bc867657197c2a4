import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

export function useRevokeMcpClient() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (clientId: number) =>
      request('DELETE /api/v1/mcp/clients/:clientId', { params: { clientId }, query: { env } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.mcp(env) }),
  });
}
