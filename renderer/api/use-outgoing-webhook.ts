import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** Undefined: none is asked for. */
export function useOutgoingWebhook(webhookId: string | undefined) {
  const env = useEnv();
  return useQuery({
    queryKey: keys.outgoingWebhook(env, webhookId ?? ''),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/webhooks/outgoing/:webhookId',
        { params: { webhookId: webhookId ?? '' }, query: { env } },
        signal,
      ),
    enabled: webhookId !== undefined,
  });
}
