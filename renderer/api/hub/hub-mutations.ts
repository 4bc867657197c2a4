import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ChangeKey, Meta, NewEnvironment, UpdateEnvironment } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { keepSessionToken } from '../session-token.ts';

/** Exchanges a pairing code, or the one-time code of a link, for a session. */
export function useDashboardLogin() {
  const client = useQueryClient();
  return useMutation({
    meta: { isLogin: true },
    mutationFn: async (code: string) => {
      const { csrfToken } = await request('POST /api/v1/session', { body: { code } });
      keepSessionToken(csrfToken);
    },
    // All: what is on the screen with unsaved text is from before.
    onSuccess: () => client.invalidateQueries(),
  });
}

/** Signs out this browser, every other one, or the one with the given id. */
export function useEndSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (which: 'own' | 'others' | { id: string }) => {
      if (which === 'own') await request('DELETE /api/v1/session', {});
      else if (which === 'others') await request('DELETE /api/v1/sessions', {});
      else await request('DELETE /api/v1/sessions/:sessionId', { params: { sessionId: which.id } });
    },
    // A page that signed itself out learns from `meta` that it has no session, and shows the lock page.
    onSuccess: (_, which) =>
      which === 'own'
        ? client.resetQueries({ queryKey: keys.meta })
        : client.invalidateQueries({ queryKey: keys.sessions }),
  });
}

/** Ends every pause of all schedules; an event updates the status bar. */
export function useResumeSchedules() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('POST /api/v1/schedules/resume', { body: {} }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.meta }),
  });
}

/** Pauses all schedules for this long; null: until a person resumes them. */
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
