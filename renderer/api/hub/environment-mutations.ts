import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { NewEnvironment, UpdateEnvironment } from '../contract.ts';
import { useSend } from '../use-change.ts';
import { environmentQueryOptions } from './hub-queries.ts';

export function useCreateEnvironment() {
  const send = useSend();
  return useMutation({
    mutationFn: (body: NewEnvironment) => send('POST /api/v1/environments', { body }),
  });
}

/** Changes name, colour or production flag of the environment; resolves once the pages have the new values. */
export function useUpdateEnvironment(env: string) {
  const send = useSend();
  const client = useQueryClient();
  return useMutation({
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
    mutationFn: () => send('DELETE /api/v1/environments/current', { body: { name: env } }),
  });
}

export function useOrderEnvironments() {
  const send = useSend();
  return useMutation({
    mutationFn: (names: string[]) => send('PUT /api/v1/environments/order', { body: { names } }),
  });
}
