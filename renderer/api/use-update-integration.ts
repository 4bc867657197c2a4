import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { type RequestInput, request } from './request.ts';
import { useEnv } from './use-env.ts';

export function useUpdateIntegration(integrationKey: string) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestInput<'PATCH /api/v1/integrations/:integrationKey'>['body']) =>
      request('PATCH /api/v1/integrations/:integrationKey', { params: { integrationKey }, query: { env }, body }),
    onSuccess: (saved) => {
      client.setQueryData([...keys.integrations(env), 'one', saved.key], saved);
      return client.invalidateQueries({ queryKey: keys.integrations(env) });
    },
  });
}
