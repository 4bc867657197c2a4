import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** The first 200 integrations by name, for pickers and the palette. */
export function useIntegrationOptions() {
  const env = useEnv();
  return useQuery({
    queryKey: [...keys.integrations(env), 'options'],
    queryFn: ({ signal }) => request('GET /api/v1/integrations', { query: { env, sort: 'name' } }, signal),
    select: (answer) => answer.data,
  });
}
