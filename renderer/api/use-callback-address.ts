import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** Where providers lead people back to. */
export function useCallbackAddress() {
  const env = useEnv();
  return useQuery({
    queryKey: keys.callback(env),
    queryFn: ({ signal }) => request('GET /api/v1/callback', { query: { env } }, signal),
  });
}
