import { useMutation } from '@tanstack/react-query';
import type { ChangeKey } from '../contract.ts';
import { OWN_ERROR, useSend } from '../use-change.ts';

/** Compacts the database; resolves to the number of bytes saved. */
export function useCompact() {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: async () => (await send('POST /api/v1/data/compact', {})).freedBytes,
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
    meta: OWN_ERROR,
    mutationFn: (change: ChangeKey) => send('POST /api/v1/data/key', { body: change }),
  });
}
