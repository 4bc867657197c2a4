import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ChangeKey } from './contract.ts';
import { keys } from './keys.ts';
import { request } from './request.ts';

/** The data folder: what it takes, its backups, its key. */
export function useData() {
  return useQuery({ queryKey: keys.data, queryFn: ({ signal }) => request('GET /api/v1/data', {}, signal) });
}

/** Makes a backup; resolves to it. */
export function useBackUp() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('POST /api/v1/data/backups', {}),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.data }),
  });
}

/** Reads a backup, or the database, from end to end; resolves to what is wrong with it. */
export function useVerifyData() {
  return useMutation({
    mutationFn: async (backup: string | undefined) =>
      (await request('POST /api/v1/data/verify', { body: backup === undefined ? {} : { backup } })).problems,
  });
}

/** Replaces or moves the master key. */
export function useChangeKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: ChangeKey) => request('POST /api/v1/data/key', { body: change }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.data }),
        client.invalidateQueries({ queryKey: keys.meta }),
      ]),
  });
}
