import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Meta } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';

const CHANGE_VAULT = ['change-vault'];

/** Whether a request is running: the keychain of the computer may ask the person first. */
export const useIsVaultChanging = (): boolean => useIsMutating({ mutationKey: CHANGE_VAULT }) > 0;

/** Locks or unlocks the vault; an event informs other pages. */
export function useChangeVault() {
  const client = useQueryClient();
  return useMutation({
    mutationKey: CHANGE_VAULT,
    mutationFn: (to: 'lock' | 'unlock') =>
      to === 'lock' ? request('POST /api/v1/vault/lock', {}) : request('POST /api/v1/vault/unlock', {}),
    onSuccess: (_, to) => {
      const vault = to === 'lock' ? 'locked' : 'unlocked';
      client.setQueryData<Meta>(keys.meta, (meta) => meta && { ...meta, health: { ...meta.health, vault } });
    },
  });
}

/** Minutes without activity after which the vault locks; null: never. */
export function useChangeAutoLock() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (minutes: number | null) => request('PUT /api/v1/vault/auto-lock', { body: { minutes } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.meta }),
  });
}

/** Reports activity of a person on this page to the hub. */
export const reportPresence = () => request('POST /api/v1/vault/presence', {});
