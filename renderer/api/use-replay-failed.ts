import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { type RequestInput, request } from './request.ts';
import { useEnv } from './use-env.ts';

type Filter = RequestInput<'POST /api/v1/webhooks/outgoing/replay-failed'>['body'];

export function useReplayFailed() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Filter) => request('POST /api/v1/webhooks/outgoing/replay-failed', { query: { env }, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.outgoingWebhooks(env) }),
  });
}
