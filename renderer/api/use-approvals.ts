import { useQuery } from '@tanstack/react-query';
import type { ApprovalRow } from './contract.ts';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

const NONE: ApprovalRow[] = [];

/** Calls of MCP clients that wait for a person, oldest first; events keep them current. */
export function useApprovals(): ApprovalRow[] {
  const env = useEnv();
  const { data } = useQuery({
    queryKey: keys.approvals(env),
    queryFn: ({ signal }) => request('GET /api/v1/mcp/approvals', { query: { env } }, signal),
    select: (answer) => answer.data,
  });
  return data ?? NONE;
}
