import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

export function useSettings() {
  const env = useEnv();
  return useQuery({
    queryKey: keys.settings(env),
    queryFn: ({ signal }) => request('GET /api/v1/settings', { query: { env } }, signal),
  });
}
