import { useMutation, useQueryClient } from '@tanstack/react-query';
import {
  CALLBACK_PAGE,
  CALLBACK_PAGE_HEADER,
  type CallbackCheck,
  type RevealTarget,
  type UpdateSettings,
} from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';

export function useUpdateSettings() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: UpdateSettings) => request('PATCH /api/v1/settings', { query: { env }, body }),
    onSuccess: (saved, { public_url, variables }) => {
      client.setQueryData(keys.settings(env), saved);
      if (variables) void client.invalidateQueries({ queryKey: keys.variableUse(env) });
      // The status bar shows the tunnel.
      if (public_url !== undefined) void client.invalidateQueries({ queryKey: keys.meta });
    },
  });
}

export function useRotateSigningKey() {
  const env = useEnv();
  return useMutation({ mutationFn: () => request('POST /api/v1/settings/signing-key', { query: { env } }) });
}

/** Sends one span to the saved endpoint. `mutate` takes the endpoint, so that an old response can be told from a new one. */
export function useSendTestSpan() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (_endpoint: string) => request('POST /api/v1/telemetry/test', { query: { env } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.telemetry(env) }),
  });
}

/** Reads the value of one secret; never cached. */
export function useReveal() {
  const env = useEnv();
  return useMutation({
    mutationFn: async (body: RevealTarget) => (await request('POST /api/v1/reveal', { query: { env }, body })).value,
    gcTime: 0,
  });
}

/** Null: the hub's own address. */
export function useUpdateCallback() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (callbackUrl: string | null) =>
      request('PATCH /api/v1/callback', { query: { env }, body: { callbackUrl } }),
    onSuccess: (saved) => {
      client.setQueryData(keys.callback(env), saved);
      // Every integration shows the callback address.
      return client.invalidateQueries({ queryKey: keys.integrations(env) });
    },
  });
}

/** Checks which program answers at the environment's callback address. `mutate` takes the address, so that an old response can be told from a new one. */
export function useCallbackCheck() {
  const env = useEnv();
  return useMutation({
    mutationFn: async (_callbackUrl: string): Promise<CallbackCheck> => {
      const response = await request('POST /api/v1/callback/check', { query: { env } });
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
