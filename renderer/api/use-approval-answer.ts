import type { ApprovalDecision, ApprovalRow } from './contract.ts';
import { useConnection } from './use-connection.ts';
import { useDecideApproval } from './use-decide-approval.ts';

/** What a question shows of its connection, and how it is answered. */
export function useApprovalAnswer(approval: ApprovalRow, onError: (error: unknown) => void) {
  const { id, integrationKey, connectionId } = approval;
  const { data } = useConnection(approval);
  const decide = useDecideApproval();
  return {
    connection: {
      integration: data?.integrationName ?? integrationKey,
      connectionId,
      displayName: data?.displayName ?? null,
    },
    isSending: decide.isPending,
    onDecide: (decision: ApprovalDecision) => decide.mutate({ id, decision }, { onError }),
  };
}
