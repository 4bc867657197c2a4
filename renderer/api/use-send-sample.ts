import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { WebhookType } from './contract.ts';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** Sends a made-up event to the addresses of the environment; the id of the webhook. */
export function useSendSample() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (type: WebhookType) =>
      (await request('POST /api/v1/webhooks/outgoing/sample', { query: { env }, body: { type } })).id,
    onSuccess: () => client.invalidateQueries({ queryKey: keys.outgoingWebhooks(env) }),
  });
}
