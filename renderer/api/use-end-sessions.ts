import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';

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
