import { useMutation } from '@tanstack/react-query';
import type { RequestInput } from '../request.ts';
import { type ChangeNotice, OWN_ERROR, useSend } from '../use-change.ts';

type PairingAnswer = RequestInput<'POST /api/v1/pairings/:pairingId'>['body'];

/** Creates a key. The response is the only place that holds its secret, and it is never cached. */
export function useCreateKey() {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (body: RequestInput<'POST /api/v1/keys'>['body']) => send('POST /api/v1/keys', { body }),
    gcTime: 0,
  });
}

export function useUpdateKey(keyId: number) {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (body: RequestInput<'PATCH /api/v1/keys/:keyId'>['body']) =>
      send('PATCH /api/v1/keys/:keyId', { params: { keyId }, body }),
  });
}

/** Answers an app that asks for a key. Fails when the request is no longer open; the refetched list then shows that. */
export function useAnswerPairing(pairingId: string, notice: ChangeNotice = {}) {
  const send = useSend();
  return useMutation({
    meta: notice,
    mutationFn: (body: PairingAnswer) => send('POST /api/v1/pairings/:pairingId', { params: { pairingId }, body }),
  });
}
