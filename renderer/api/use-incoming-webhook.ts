import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

export function useIncomingWebhook(webhookId: string) {
  const env = useEnv();
  return useQuery({
    queryKey: keys.incomingWebhook(env, webhookId),
    queryFn: ({ signal }) =>
      request('GET /api/v1/webhooks/incoming/:webhookId', { params: { webhookId }, query: { env } }, signal),
  });
}
