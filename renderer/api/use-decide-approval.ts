import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ApprovalDecision } from './contract.ts';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

/** Answers a waiting call. Refused when nobody waits any more, which the list then shows. */
export function useDecideApproval() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, decision }: { id: string; decision: ApprovalDecision }) =>
      request('POST /api/v1/mcp/approvals/:approvalId', {
        params: { approvalId: id },
        query: { env },
        body: { decision },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.mcp(env) }),
  });
}
