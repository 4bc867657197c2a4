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
    meta: { done: (_: unknown, to: 'lock' | 'unlock') => (to === 'lock' ? 'Vault locked' : 'Vault unlocked') },
    mutationFn: (to: 'lock' | 'unlock') =>
      to === 'lock' ? send('POST /api/v1/vault/lock', {}) : send('POST /api/v1/vault/unlock', {}),
  });
}

/** Reports activity of a person on this page to the hub. */
export const reportPresence = () => request('POST /api/v1/vault/presence', {});
