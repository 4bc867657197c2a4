import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { connectionQueryOptions } from '../connections/connections-queries.ts';
import type { ApprovalRow, McpDecision, ShownApprovalDecision } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';

interface Answer {
  id: string;
  decision: ShownApprovalDecision;
  /** Less than the client asked for. */
  narrowed?: Record<string, unknown> | undefined;
}

/** Answers a waiting call. Refused when nothing waits any more, which the list then shows. */
function useDecideApproval() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, decision, narrowed }: Answer) =>
      request('POST /api/v1/mcp/approvals/:approvalId', {
        params: { approvalId: id },
        query: { env },
        body: { decision, ...(narrowed ? { arguments: narrowed } : {}) },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.mcp(env) }),
  });
}

/** What a question shows of its connection, and how it is answered. */
export function useApprovalAnswer(approval: ApprovalRow, onError: (error: unknown) => void) {
  const { id, integrationKey, connectionId } = approval;
  const { data } = useQuery(connectionQueryOptions(useEnv(), { integrationKey, connectionId }));
  const decide = useDecideApproval();
  return {
    connection: {
      integration: data?.integrationName ?? integrationKey,
      connectionId,
      displayName: data?.displayName ?? null,
    },
    isSending: decide.isPending,
    onDecide: (decision: ShownApprovalDecision, narrowed?: Record<string, unknown>) =>
      decide.mutate({ id, decision, narrowed }, { onError }),
  };
}

/** Says in advance what a client may do with a tool; `policy` null takes it back. */
export function useChangeDecision() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: McpDecision) => request('PUT /api/v1/mcp/decisions', { query: { env }, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.mcp(env) }),
  });
}

/** A key that may call tools and nothing else. Its secret is in this answer only, and never cached. */
export function useCreateMcpClient() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => request('POST /api/v1/mcp/clients', { query: { env }, body: { name } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.mcp(env) }),
    gcTime: 0,
  });
}

export function useRevokeMcpClient() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (clientId: number) =>
      request('DELETE /api/v1/mcp/clients/:clientId', { params: { clientId }, query: { env } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.mcp(env) }),
  });
}
