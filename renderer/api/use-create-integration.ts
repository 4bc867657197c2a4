import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { type RequestInput, request } from './request.ts';
import { useEnv } from './use-env.ts';

export function useCreateIntegration() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestInput<'POST /api/v1/integrations'>['body']) =>
      request('POST /api/v1/integrations', { query: { env }, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.integrations(env) }),
  });
}
