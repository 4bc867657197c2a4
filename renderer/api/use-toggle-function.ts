import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';
import type { FunctionRef } from './use-function.ts';

export function useToggleFunction(params: FunctionRef) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (isEnabled: boolean) =>
      request('PATCH /api/v1/functions/:integrationKey/:type/:name', { params, query: { env }, body: { isEnabled } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.functions(env) }),
  });
}
