import { useMutation } from '@tanstack/react-query';
import type { RequestInput } from '../request.ts';
import { useSend } from '../use-change.ts';

type PairingAnswer = RequestInput<'POST /api/v1/pairings/:pairingId'>['body'];

/** Creates a key. The response is the only place that holds its secret, and it is never cached. */
export function useCreateKey() {
  const send = useSend();
  return useMutation({
    mutationFn: (body: RequestInput<'POST /api/v1/keys'>['body']) => send('POST /api/v1/keys', { body }),
    gcTime: 0,
  });
}

export function useUpdateKey(keyId: number) {
  const send = useSend();
  return useMutation({
    mutationFn: (body: RequestInput<'PATCH /api/v1/keys/:keyId'>['body']) =>
      send('PATCH /api/v1/keys/:keyId', { params: { keyId }, body }),
  });
}

export function useRevokeKey() {
  const send = useSend();
  return useMutation({
    mutationFn: (keyId: number) => send('DELETE /api/v1/keys/:keyId', { params: { keyId } }),
  });
}

/** Answers an app that asks for a key. Fails when the request is no longer open; the refetched list then shows that. */
export function useAnswerPairing(pairingId: string) {
  const send = useSend();
  return useMutation({
    mutationFn: (body: PairingAnswer) => send('POST /api/v1/pairings/:pairingId', { params: { pairingId }, body }),
  });
}
