import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { type RequestInput, request } from '../request.ts';
import { useEnv } from '../use-env.ts';

type PairingAnswer = RequestInput<'POST /api/v1/pairings/:pairingId'>['body'];

/** Also refetches the MCP data: what an agent may do depends on its key. */
const changed = (client: QueryClient, env: string) =>
  Promise.all([
    client.invalidateQueries({ queryKey: keys.apiKeys(env) }),
    client.invalidateQueries({ queryKey: keys.pairings(env) }),
    client.invalidateQueries({ queryKey: keys.mcp(env) }),
  ]);

/** Creates a key. The response is the only place that holds its secret, and it is never cached. */
export function useCreateKey() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestInput<'POST /api/v1/keys'>['body']) =>
      request('POST /api/v1/keys', { query: { env }, body }),
    onSuccess: () => changed(client, env),
    gcTime: 0,
  });
}

export function useUpdateKey(keyId: number) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestInput<'PATCH /api/v1/keys/:keyId'>['body']) =>
      request('PATCH /api/v1/keys/:keyId', { params: { keyId }, query: { env }, body }),
    onSuccess: () => changed(client, env),
  });
}

export function useRevokeKey() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (keyId: number) => request('DELETE /api/v1/keys/:keyId', { params: { keyId }, query: { env } }),
    onSuccess: () => changed(client, env),
  });
}

/** Answers an app that asks for a key. Fails when the request is no longer open; the refetched list then shows that. */
export function useAnswerPairing(pairingId: string) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: PairingAnswer) =>
      request('POST /api/v1/pairings/:pairingId', { params: { pairingId }, query: { env }, body }),
    onSettled: () => changed(client, env),
  });
}
