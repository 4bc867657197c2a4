import { UnstyledButton } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useApprovals } from '../api/mcp/mcp-queries.ts';
import { formatCount, formatNumber } from '../lib/format-number.ts';
import { approvalSentence } from '../lib/mcp-policy.ts';
import classes from './ApprovalDesk.module.css';

const ApprovalDialog = lazy(async () => ({ default: (await import('./ApprovalDialog.tsx')).ApprovalDialog }));

/**
 * Calls of MCP clients that wait for an answer, shown over every screen. Esc and a click outside postpone them
 * without a decision: the badge in the header shows them again.
 */
export function ApprovalDesk({ reviewCalls }: { reviewCalls: number }) {
  const waiting = useApprovals();
  const [aside, setAside] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    if (reviewCalls > 0) setAside(new Set());
  }, [reviewCalls]);
  const shown = waiting.find(({ id }) => !aside.has(id));
  const [isWanted, setWanted] = useState(false);
  if (shown && !isWanted) setWanted(true);
  return (
    <>
      {waiting.length > 0 && (
        <UnstyledButton
          className={`small rigid name middle one-line ${classes['badge']}`}
          onClick={() => setAside(new Set())}
        >
          <IconShieldCheck style={{ marginRight: 6 }} size={14} stroke={1.6} aria-hidden />
          {formatNumber(waiting.length)}
          <span> {waiting.length === 1 ? 'call' : 'calls'} waiting</span>
        </UnstyledButton>
      )}
      <div className="visually-hidden" role="alert">
        {shown && `${approvalSentence(shown)} with ${shown.tool}. ${formatCount(waiting.length, 'call')} waiting.`}
      </div>
      {isWanted && (
        <Suspense fallback={null}>
          <ApprovalDialog
            approval={shown}
            othersCount={waiting.length - 1}
            onAside={() => setAside(new Set(waiting.map(({ id }) => id)))}
          />
        </Suspense>
      )}
    </>
  );
}
