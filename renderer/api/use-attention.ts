import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useApprovals } from './use-approvals.ts';
import { useEnv } from './use-env.ts';

/** Numbers beside the sidebar's entries: what needs a person. */
export function useAttention(): { connections: number; functions: number; approvals: number } {
  const env = useEnv();
  const connections = useQuery({
    queryKey: [...keys.connections(env), 'count', {}],
    queryFn: ({ signal }) => request('GET /api/v1/connections/count', { query: { env } }, signal),
    select: (count) => count.auth_error + count.sync_error,
  });
  const functions = useQuery({
    queryKey: [...keys.functions(env), 'broken'],
    queryFn: ({ signal }) =>
      request('GET /api/v1/functions', { query: { env, status: 'compile_error', limit: 1 } }, signal),
    select: (answer) => answer.total,
  });
  const approvals = useApprovals();
  return { connections: connections.data ?? 0, functions: functions.data ?? 0, approvals: approvals.length };
}
