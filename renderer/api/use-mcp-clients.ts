import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** API keys that may call tools, oldest first. */
export function useMcpClients() {
  const env = useEnv();
  return useQuery({
    queryKey: [...keys.mcp(env), 'clients'],
    queryFn: ({ signal }) => request('GET /api/v1/mcp/clients', { query: { env } }, signal),
    select: (answer) => answer.data,
  });
}
