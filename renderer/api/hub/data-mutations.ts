import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ChangeKey } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';

/** Compacts the database; resolves to the number of bytes saved. */
export function useCompact() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => (await request('POST /api/v1/data/compact', {})).freedBytes,
    onSuccess: () => client.invalidateQueries({ queryKey: keys.data }),
  });
}

/** Makes a backup and resolves to it. */
export function useBackUp() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('POST /api/v1/data/backups', {}),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.data }),
  });
}

export function useDeleteBackup() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => request('DELETE /api/v1/data/backups/:name', { params: { name } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.data }),
  });
}

/** Reads a backup, or the database, completely; resolves to the problems found. */
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
