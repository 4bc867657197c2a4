import { useMutation, useQueryClient } from '@tanstack/react-query';
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
