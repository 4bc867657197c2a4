import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

export function useDeleteIntegration() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (integrationKey: string) =>
      request('DELETE /api/v1/integrations/:integrationKey', { params: { integrationKey }, query: { env } }),
    onSuccess: async (_, integrationKey) => {
      client.removeQueries({ queryKey: [...keys.integrations(env), 'one', integrationKey] });
      await client.invalidateQueries({ queryKey: [env] });
    },
  });
}
