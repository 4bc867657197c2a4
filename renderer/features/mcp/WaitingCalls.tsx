import { describeError } from '../../api/api-error.ts';
import type { ApprovalRow } from '../../api/contract.ts';
import { useApprovalAnswer } from '../../api/mcp/mcp-mutations.ts';
import { useApprovals } from '../../api/mcp/mcp-queries.ts';
import { ApprovalQuestion, ApprovalTitle } from '../../components/ApprovalQuestion.tsx';
import { notifyError } from '../../components/notify.ts';
import classes from './McpPage.module.css';

/** What was put aside can be answered here. */
export function WaitingCalls() {
  const waiting = useApprovals();
  if (waiting.length === 0) return null;
  return (
    <div className={classes['waiting']}>
      {waiting.map((approval) => (
        <WaitingCall key={approval.id} approval={approval} />
      ))}
    </div>
  );
}

function WaitingCall({ approval }: { approval: ApprovalRow }) {
  const answer = useApprovalAnswer(approval, (error) => notifyError(describeError(error)));
  return (
    <section className={classes['call']} aria-label={`Call of ${approval.tool}`}>
      <h2>
        <ApprovalTitle approval={approval} />
      </h2>
      <ApprovalQuestion approval={approval} {...answer} maxHeight={120} />
    </section>
  );
}
