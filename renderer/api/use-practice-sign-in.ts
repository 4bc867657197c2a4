import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** Readies an integration for signing in to the practice provider, then begins that sign-in. */
export function usePracticeSignIn() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (integrationKey?: string) => {
      const ready = await request('POST /api/v1/practice/sign-in', {
        query: { env },
        body: integrationKey === undefined ? {} : { integrationKey },
      });
      void client.invalidateQueries({ queryKey: keys.integrations(env) });
      return request('POST /api/v1/connect-sessions', { query: { env }, body: ready });
    },
  });
}
