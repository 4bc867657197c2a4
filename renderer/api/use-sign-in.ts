import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { keepSessionToken } from './session-token.ts';

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
