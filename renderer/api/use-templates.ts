import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** Functions that ship for the provider of an integration. Refetched with the functions: a new file takes its place. */
export function useTemplates(integrationKey: string) {
  const env = useEnv();
  return useQuery({
    queryKey: [...keys.functions(env), 'templates', integrationKey],
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/integrations/:integrationKey/templates',
        { params: { integrationKey }, query: { env } },
        signal,
      ),
    select: (answer) => answer.data,
  });
}
