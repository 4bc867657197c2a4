import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ChangeKey, Meta, NewEnvironment, UpdateEnvironment } from '../contract.ts';
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

/** Every pause of all schedules ends; the status bar hears of it as an event. */
export function useResumeSchedules() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('POST /api/v1/schedules/resume', { body: {} }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.meta }),
  });
}

/** No schedule starts a run for so long; null: until somebody resumes them. */
export function usePauseSchedules() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (minutes: number | null) =>
      request('POST /api/v1/schedules/pause', {
        body: { until: minutes === null ? null : new Date(Date.now() + minutes * 60_000).toISOString() },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.meta }),
  });
}

export function useCreateEnvironment() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewEnvironment) => request('POST /api/v1/environments', { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.meta }),
  });
}

/** Changes name, colour or production of the environment; resolves once every page knows it. */
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

/** Deletes the environment with everything in it. */
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

/** Rewrites the database without free space; resolves to how many bytes smaller it became. */
export function useCompact() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => (await request('POST /api/v1/data/compact', {})).freedBytes,
    onSuccess: () => client.invalidateQueries({ queryKey: keys.data }),
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

const CHANGE_VAULT = ['change-vault'];

/** Whether an answer is awaited: the keychain of the computer may ask the person first. */
export const useIsVaultChanging = (): boolean => useIsMutating({ mutationKey: CHANGE_VAULT }) > 0;

/** Locks the vault or opens it; other pages hear of it as an event. */
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

/** After how many minutes without a person the vault is locked; null: never. */
export function useChangeAutoLock() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (minutes: number | null) => request('PUT /api/v1/vault/auto-lock', { body: { minutes } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.meta }),
  });
}

/** Tells the hub that a person uses this page. */
export const reportPresence = () => request('POST /api/v1/vault/presence', {});

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
