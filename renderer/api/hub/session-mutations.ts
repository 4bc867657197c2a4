import { useMutation, useQueryClient } from '@tanstack/react-query';
import { LOGIN } from '../query-client.ts';
import { keepSessionToken } from '../session-token.ts';
import { type ChangeNotice, OWN_ERROR, useSend } from '../use-change.ts';
import { metaQueryOptions } from './hub-queries.ts';

/** Exchanges a pairing code, or the one-time code of a link, for a session. */
export function useDashboardLogin() {
  const send = useSend();
  const client = useQueryClient();
  return useMutation({
    mutationKey: LOGIN,
    meta: OWN_ERROR,
    mutationFn: async (code: string) => {
      const { csrfToken } = await send('POST /api/v1/session', { body: { code } });
      keepSessionToken(csrfToken);
    },
    // All: what is on the screen with unsaved text is from before.
    onSuccess: () => client.invalidateQueries(),
  });
}

/** Signs out this browser, every other one, or the one with the given id. */
export function useEndSessions(notice: ChangeNotice = {}) {
  const send = useSend();
  const client = useQueryClient();
  return useMutation({
    meta: notice,
    mutationFn: async (which: 'own' | 'others' | { id: string }) => {
      if (which === 'own') await send('DELETE /api/v1/session', {});
      else if (which === 'others') await send('DELETE /api/v1/sessions', {});
      else await send('DELETE /api/v1/sessions/:sessionId', { params: { sessionId: which.id } });
    },
    // A page that signed itself out learns from `meta` that it has no session, and shows the lock page.
    onSuccess: async (_, which) => {
      if (which === 'own') await client.resetQueries(metaQueryOptions());
    },
  });
}
