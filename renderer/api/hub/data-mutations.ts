import { useMutation } from '@tanstack/react-query';
import type { ChangeKey } from '../contract.ts';
import { useSend } from '../use-change.ts';

/** Compacts the database; resolves to the number of bytes saved. */
export function useCompact() {
  const send = useSend();
  return useMutation({
    mutationFn: async () => (await send('POST /api/v1/data/compact', {})).freedBytes,
  });
}

/** Makes a backup and resolves to it. */
export function useBackUp() {
  const send = useSend();
  return useMutation({
    mutationFn: () => send('POST /api/v1/data/backups', {}),
  });
}

export function useDeleteBackup() {
  const send = useSend();
  return useMutation({
    mutationFn: (name: string) => send('DELETE /api/v1/data/backups/:name', { params: { name } }),
  });
}

/** Reads a backup, or the database, completely; resolves to the problems found. */
export function useVerifyData() {
  const send = useSend();
  return useMutation({
    mutationFn: async (backup: string | undefined) =>
      (await send('POST /api/v1/data/verify', { body: backup === undefined ? {} : { backup } })).problems,
  });
}

/** Replaces or moves the master key. */
export function useChangeKey() {
  const send = useSend();
  return useMutation({
    mutationFn: (change: ChangeKey) => send('POST /api/v1/data/key', { body: change }),
  });
}
