import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { type RequestInput, request } from './request.ts';
import { useEnv } from './use-env.ts';

export type WebhookEdits = RequestInput<'POST /api/v1/webhooks/incoming/:webhookId/replay'>['body'];

/** Takes a provider's webhook once more, as it came or edited. */
export function useRepeatWebhook(webhookId: string) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: WebhookEdits) =>
      request('POST /api/v1/webhooks/incoming/:webhookId/replay', { params: { webhookId }, query: { env }, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.incomingWebhooks(env) }),
  });
}
