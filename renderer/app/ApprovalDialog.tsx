import { Modal } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { ApprovalRow } from '../api/contract.ts';
import { useApprovalAnswer } from '../api/mcp/mcp-mutations.ts';
import { ApprovalQuestion, ApprovalTitle } from '../components/function/ApprovalQuestion.tsx';
import { formatCount } from '../lib/format-number.ts';

/** Above every other dialog: a client is waiting for the answer. */
const Z_INDEX = 400;

interface ApprovalDialogProps {
  /** Undefined closes the dialog. */
  approval: ApprovalRow | undefined;
  othersCount: number;
  onAside: () => void;
}

/** The question itself, loaded after the first view. */
export function ApprovalDialog({ approval, othersCount, onAside }: ApprovalDialogProps) {
  // Kept to be shown during the fade-out.
  const last = useRef<ApprovalRow>(undefined);
  if (approval) last.current = approval;
  const shown = last.current;
  // Opens only once its content is loaded: a dialog remembers the focus to restore when it opens.
  const [isThere, setThere] = useState(false);
  useEffect(() => setThere(true), []);
  return (
    <Modal
      opened={isThere && approval !== undefined}
      onClose={onAside}
      title={shown && <ApprovalTitle approval={shown} />}
      classNames={{ title: 'grow' }}
      styles={{ header: { paddingRight: 24 } }}
      size={480}
      zIndex={Z_INDEX}
      withCloseButton={false}
    >
      {shown && <Question key={shown.id} approval={shown} />}
      <p className="faint note pt-12">
        {othersCount > 0 ? `${formatCount(othersCount, 'more call')} waiting. ` : ''}Without an answer the call is
        denied. Press Esc to decide later.
      </p>
    </Modal>
  );
}

function Question({ approval }: { approval: ApprovalRow }) {
  const response = useApprovalAnswer(approval);
  return <ApprovalQuestion approval={approval} {...response} takesFocus />;
}
