import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { TemplateRow } from './contract.ts';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** Copies a template into the functions folder, from where it is deployed. */
export function useAddTemplate(integrationKey: string) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ type, name }: Pick<TemplateRow, 'type' | 'name'>) =>
      request('POST /api/v1/integrations/:integrationKey/templates/:type/:name', {
        params: { integrationKey, type, name },
        query: { env },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.functions(env) }),
  });
}
