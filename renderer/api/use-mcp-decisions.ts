import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** What was decided for good, newest first. */
export function useMcpDecisions() {
  const env = useEnv();
  return useQuery({
    queryKey: [...keys.mcp(env), 'decisions'],
    queryFn: ({ signal }) => request('GET /api/v1/mcp/decisions', { query: { env } }, signal),
    select: (answer) => answer.data,
  });
}
