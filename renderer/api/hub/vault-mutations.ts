import { useIsMutating, useMutation } from '@tanstack/react-query';
import { request } from '../request.ts';
import { useSend } from '../use-change.ts';

const CHANGE_VAULT = ['change-vault'];

/** Whether a request is running: the keychain of the computer may ask the person first. */
export const useIsVaultChanging = (): boolean => useIsMutating({ mutationKey: CHANGE_VAULT }) > 0;

/** Locks or unlocks the vault; an event informs other pages. */
export function useChangeVault() {
  const send = useSend();
  return useMutation({
    mutationKey: CHANGE_VAULT,
    mutationFn: (to: 'lock' | 'unlock') =>
      to === 'lock' ? send('POST /api/v1/vault/lock', {}) : send('POST /api/v1/vault/unlock', {}),
  });
}

/** Minutes without activity after which the vault locks; null: never. */
export function useChangeAutoLock() {
  const send = useSend();
  return useMutation({
    mutationFn: (minutes: number | null) => send('PUT /api/v1/vault/auto-lock', { body: { minutes } }),
  });
}

/** Reports activity of a person on this page to the hub. */
export const reportPresence = () => request('POST /api/v1/vault/presence', {});
