import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

export function useIntegration(integrationKey: string) {
  const env = useEnv();
  return useQuery({
    queryKey: [...keys.integrations(env), 'one', integrationKey],
    queryFn: ({ signal }) =>
      request('GET /api/v1/integrations/:integrationKey', { params: { integrationKey }, query: { env } }, signal),
  });
}
