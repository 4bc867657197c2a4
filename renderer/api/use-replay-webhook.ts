import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** Sends a webhook again, to the same addresses or to another one; the id of the new one. */
export function useReplayWebhook(webhookId: string) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (url: string | undefined) => {
      const body = url === undefined ? {} : { url };
      const input = { params: { webhookId }, query: { env }, body };
      return (await request('POST /api/v1/webhooks/outgoing/:webhookId/replay', input)).id;
    },
    onSuccess: () => client.invalidateQueries({ queryKey: keys.outgoingWebhooks(env) }),
  });
}
