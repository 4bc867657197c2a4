import { useMutation } from '@tanstack/react-query';
import { CALLBACK_PAGE, CALLBACK_PAGE_HEADER, type CallbackCheck, type RevealTarget } from '../contract.ts';
import { OWN_ERROR, useSend } from '../use-change.ts';

/** Sends one span to the saved endpoint. `mutate` takes the endpoint, so that an old response can be told from a new one. */
export function useSendTestSpan() {
  const send = useSend();
  return useMutation({
    mutationFn: (_endpoint: string) => send('POST /api/v1/telemetry/test', {}),
  });
}

/** Sends a test where questions of agents are sent. `mutate` takes the address, so that an old response can be told from a new one. */
export function useSendTestQuestion() {
  const send = useSend();
  return useMutation({
    mutationFn: (_url: string | null) => send('POST /api/v1/mcp/approvals-target/test', {}),
  });
}

/** Reads the value of one secret; never cached. */
export function useReveal() {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: async (body: RevealTarget) => (await send('POST /api/v1/reveal', { body })).value,
    gcTime: 0,
  });
}

/** Checks which program answers at the environment's callback address. `mutate` takes the address, so that an old response can be told from a new one. */
export function useCallbackCheck() {
  const send = useSend();
  return useMutation({
    mutationFn: async (_callbackUrl: string): Promise<CallbackCheck> => {
      const response = await send('POST /api/v1/callback/check', {});
      return response.found === 'own' ? checkFromThisPage() : response;
    },
  });
}

/** The hub refuses requests to its own address by design, so this page makes the request when the address is a name of this computer. */
async function checkFromThisPage(): Promise<CallbackCheck> {
  try {
    const response = await fetch('/oauth/callback', { credentials: 'omit' });
    const isHub = response.headers.get(CALLBACK_PAGE_HEADER) === CALLBACK_PAGE;
    return isHub ? { found: 'hub' } : { found: 'foreign', status: response.status };
  } catch (error) {
    if (error instanceof TypeError) return { found: 'nothing', reason: 'Homeport does not answer.' };
    throw error;
  }
}
