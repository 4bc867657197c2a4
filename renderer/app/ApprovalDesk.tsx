import { Modal, UnstyledButton } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { describeError } from '../api/api-error.ts';
import type { ApprovalRow } from '../api/contract.ts';
import { useApprovalAnswer } from '../api/mcp/mcp-mutations.ts';
import { useApprovals } from '../api/mcp/mcp-queries.ts';
import { ApprovalQuestion, ApprovalTitle, approvalSentence } from '../components/ApprovalQuestion.tsx';
import { notifyError } from '../components/notify.ts';
import { formatCount, formatNumber } from '../lib/format-number.ts';
import classes from './ApprovalDesk.module.css';

/** Above every other dialog: somebody waits. */
const Z_INDEX = 400;

/**
 * Calls of MCP clients that wait for an answer, on whatever screen one is. Esc and a click beside the dialog put what
 * waits aside, which decides nothing: the badge in the header brings it back.
 */
export function ApprovalDesk({ reviewCalls }: { reviewCalls: number }) {
  const waiting = useApprovals();
  const [aside, setAside] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    if (reviewCalls > 0) setAside(new Set());
  }, [reviewCalls]);
  const shown = waiting.find(({ id }) => !aside.has(id));
  return (
    <>
      {waiting.length > 0 && (
        <UnstyledButton className={classes['badge'] ?? ''} onClick={() => setAside(new Set())}>
          <IconShieldCheck size={14} stroke={1.6} aria-hidden />
          {formatNumber(waiting.length)}
          <span> {waiting.length === 1 ? 'call' : 'calls'} waiting</span>
        </UnstyledButton>
      )}
      <div className="visually-hidden" role="alert">
        {shown && `${approvalSentence(shown)} with ${shown.tool}. ${formatCount(waiting.length, 'call')} waiting.`}
      </div>
      <ApprovalDialog
        approval={shown}
        othersCount={waiting.length - 1}
        onAside={() => setAside(new Set(waiting.map(({ id }) => id)))}
      />
    </>
  );
}

interface ApprovalDialogProps {
  /** Undefined closes the dialog. */
  approval: ApprovalRow | undefined;
  othersCount: number;
  onAside: () => void;
}

function ApprovalDialog({ approval, othersCount, onAside }: ApprovalDialogProps) {
  // What it says while it fades out.
  const last = useRef<ApprovalRow>(undefined);
  if (approval) last.current = approval;
  const said = last.current;
  return (
    <Modal
      opened={approval !== undefined}
      onClose={onAside}
      title={said && <ApprovalTitle approval={said} />}
      classNames={{ title: classes['title'] ?? '', header: classes['head'] ?? '' }}
      size={480}
      zIndex={Z_INDEX}
      withCloseButton={false}
    >
      {said && <Question key={said.id} approval={said} />}
      <p className={classes['foot']}>
        {othersCount > 0 ? `${formatCount(othersCount, 'more call')} waiting. ` : ''}Without an answer the call is
        denied. Esc puts it aside.
      </p>
    </Modal>
  );
}

function Question({ approval }: { approval: ApprovalRow }) {
  const answer = useApprovalAnswer(approval, (error) => notifyError(describeError(error)));
  return <ApprovalQuestion approval={approval} {...answer} takesFocus />;
}
