import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { NewEnvironment, UpdateEnvironment } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';

export function useCreateEnvironment() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewEnvironment) => request('POST /api/v1/environments', { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.meta }),
  });
}

/** Changes name, colour or production flag of the environment; resolves once the pages have the new values. */
export function useUpdateEnvironment(env: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: UpdateEnvironment) => request('PATCH /api/v1/environments/current', { query: { env }, body }),
    onSuccess: ({ name }) =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.meta }),
        name === env && client.invalidateQueries({ queryKey: keys.environmentDetail(env) }),
      ]),
  });
}

/** Deletes the environment and everything in it. */
export function useDeleteEnvironment(env: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('DELETE /api/v1/environments/current', { query: { env }, body: { name: env } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.meta }),
  });
}

export function useOrderEnvironments() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (names: string[]) => request('PUT /api/v1/environments/order', { body: { names } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.meta }),
  });
}
