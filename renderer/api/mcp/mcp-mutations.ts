import { useMutation, useQuery } from '@tanstack/react-query';
import { findProblems } from '../../lib/schema-form.ts';
import { connectionQueryOptions } from '../connections/connections-queries.ts';
import { type ApprovalRow, isNarrower, type ShownApprovalDecision } from '../contract.ts';
import { functionQueryOptions } from '../functions/functions-queries.ts';
import { OWN_ERROR, useSend } from '../use-change.ts';
import { useEnv } from '../use-env.ts';

interface DecisionOnCall {
  id: string;
  decision: ShownApprovalDecision;
  /** Fewer arguments than the client asked for. */
  narrowed?: Record<string, unknown> | undefined;
}

/** Answers a waiting call. Fails when the call is no longer waiting; the refetched list then shows that. */
function useDecideApproval() {
  const send = useSend();
  return useMutation({
    mutationFn: ({ id, decision, narrowed }: DecisionOnCall) =>
      send('POST /api/v1/mcp/approvals/:approvalId', {
        params: { approvalId: id },
        body: { decision, ...(narrowed ? { arguments: narrowed } : {}) },
      }),
  });
}

/** The connection and the tool of a question, and the function that answers it. */
export function useApprovalAnswer(approval: ApprovalRow) {
  const { id, integrationKey, connectionId, tool } = approval;
  const env = useEnv();
  const { data } = useQuery(connectionQueryOptions(env, { integrationKey, connectionId }));
  const action = useQuery(functionQueryOptions(env, { integrationKey, type: 'action', name: tool })).data;
  const decide = useDecideApproval();
  return {
    connection: {
      integration: data?.integrationName ?? integrationKey,
      connectionId,
      displayName: data?.displayName ?? null,
    },
    problemWith: (narrowed: Record<string, unknown>): string | undefined => {
      const changed = Object.keys(narrowed).find((name) => !isNarrower({ [name]: narrowed[name] }, approval.arguments));
      if (changed !== undefined) return `${changed} is not as requested. Only leave out members or items of lists.`;
      const [first] = action?.inputSchema ? findProblems(action.inputSchema, narrowed) : [];
      return first && `The tool does not accept this: ${first.path}: ${first.text}`;
    },
    isSending: decide.isPending,
    onDecide: (decision: ShownApprovalDecision, narrowed?: Record<string, unknown>) =>
      decide.mutate({ id, decision, narrowed }),
  };
}

/** Creates a key that may only call tools. The response is the only place that holds its secret, and it is never cached. */
export function useCreateMcpClient() {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (name: string) => send('POST /api/v1/mcp/clients', { body: { name } }),
    gcTime: 0,
  });
}
