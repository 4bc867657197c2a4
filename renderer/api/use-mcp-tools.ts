import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import type { ConnectionRef } from './use-connection.ts';
import { useEnv } from './use-env.ts';

/** Tools of a connection with what one client may do with them. */
export function useMcpTools(clientId: number, { integrationKey, connectionId }: ConnectionRef) {
  const env = useEnv();
  const query = { env, clientId, integrationKey, connectionId };
  return useQuery({
    queryKey: [...keys.mcp(env), 'tools', query],
    queryFn: ({ signal }) => request('GET /api/v1/mcp/tools', { query }, signal),
    select: (answer) => answer.data,
  });
}
