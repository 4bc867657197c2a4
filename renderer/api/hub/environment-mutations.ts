import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { UpdateEnvironment } from '../contract.ts';
import { type ChangeNotice, OWN_ERROR, useSend } from '../use-change.ts';
import { environmentQueryOptions } from './hub-queries.ts';

/** Changes name, colour or production flag of the environment; resolves once the pages have the new values. */
export function useUpdateEnvironment(env: string, notice: ChangeNotice = {}) {
  const send = useSend();
  const client = useQueryClient();
  return useMutation({
    meta: notice,
    mutationFn: (body: UpdateEnvironment) => send('PATCH /api/v1/environments/current', { body }),
    onSuccess: async ({ name }) => {
      if (name === env) await client.invalidateQueries(environmentQueryOptions(env));
    },
  });
}

/** Deletes the environment and everything in it. */
export function useDeleteEnvironment(env: string) {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: () => send('DELETE /api/v1/environments/current', { body: { name: env } }),
  });
}
