import { useQuery } from '@tanstack/react-query';
import { pairingsQueryOptions } from './apps/apps-queries.ts';
import { brokenFunctionsQueryOptions, connectionCountQueryOptions } from './attention-queries.ts';
import { useApprovals } from './mcp/mcp-queries.ts';
import { useEnv } from './use-env.ts';

/** The numbers beside the sidebar's entries: how many objects need attention. */
export function useAttention(): { connections: number; functions: number; approvals: number; pairings: number } {
  const env = useEnv();
  const { data: count } = useQuery(connectionCountQueryOptions(env, {}));
  const { data: broken } = useQuery(brokenFunctionsQueryOptions(env));
  const { data: pairings } = useQuery(pairingsQueryOptions(env));
  const approvals = useApprovals();
  return {
    connections: count ? count.auth_error + count.sync_error : 0,
    functions: broken ?? 0,
    approvals: approvals.length,
    pairings: pairings?.length ?? 0,
  };
}
