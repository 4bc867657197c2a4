import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ChangeKey } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { keepSessionToken } from '../session-token.ts';

/** Exchanges a pairing code or the one-time code of a link for the session. */
export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    meta: { isSignIn: true },
    mutationFn: async (code: string) => {
      const { csrfToken } = await request('POST /api/v1/session', { body: { code } });
      keepSessionToken(csrfToken);
    },
    onSuccess: () => client.resetQueries({ queryKey: keys.meta }),
  });
}

/** Signs browsers out: this one, every other one, or the one with an id. */
export function useEndSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (which: 'own' | 'others' | { id: string }) => {
      if (which === 'own') await request('DELETE /api/v1/session', {});
      else if (which === 'others') await request('DELETE /api/v1/sessions', {});
      else await request('DELETE /api/v1/sessions/:sessionId', { params: { sessionId: which.id } });
    },
    // Without a session of its own the page finds that out here, and asks for a sign-in.
    onSuccess: (_, which) =>
      which === 'own'
        ? client.resetQueries({ queryKey: keys.meta })
        : client.invalidateQueries({ queryKey: keys.sessions }),
  });
}

export function useCreateEnvironment() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => request('POST /api/v1/environments', { body: { name } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.meta }),
  });
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
