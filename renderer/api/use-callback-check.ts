import { useMutation } from '@tanstack/react-query';
import { CALLBACK_PAGE, CALLBACK_PAGE_HEADER, type CallbackCheck } from './contract.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** The hub asks for its own address in vain, by design: at this computer's names, this page asks in its place. */
async function askHere(): Promise<CallbackCheck> {
  try {
    const response = await fetch('/oauth/callback', { credentials: 'omit' });
    const isHub = response.headers.get(CALLBACK_PAGE_HEADER) === CALLBACK_PAGE;
    return isHub ? { found: 'hub' } : { found: 'foreign', status: response.status };
  } catch (error) {
    if (error instanceof TypeError) return { found: 'nothing', reason: 'Homeport does not answer.' };
    throw error;
  }
}

/** Who answers at the environment's callback address. `mutate` takes the address, to tell an old answer from a new one. */
export function useCallbackCheck() {
  const env = useEnv();
  return useMutation({
    mutationFn: async (_callbackUrl: string): Promise<CallbackCheck> => {
      const answer = await request('POST /api/v1/callback/check', { query: { env } });
      return answer.found === 'own' ? askHere() : answer;
    },
  });
}
