import { UnstyledButton } from '@mantine/core';
import { IconAlertCircleFilled } from '@tabler/icons-react';
import type { FunctionDetail } from '../../api/contract.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { formatDuration } from '../../lib/format-time.ts';
import classes from './FunctionPage.module.css';

/** What the compiler says, each leading to its line. */
export function ProblemList({ data, onGo }: { data: FunctionDetail; onGo: (line: number) => void }) {
  const { problems } = data;
  return (
    <section className={classes['problems']} aria-label="Problems">
      <div className={classes['problemsHead']}>
        <h2>Problems</h2>
        <span>{problems.length === 0 ? 'None' : problems.length}</span>
        <span>
          Checked <RelativeTime at={data.checkedAt} /> in {formatDuration(data.checkDurationMs)}
        </span>
      </div>
      {problems.map(({ message, line, column }) => (
        <UnstyledButton
          key={`${line}:${column}:${message}`}
          className={classes['problem'] ?? ''}
          onClick={() => line !== null && onGo(line)}
        >
          <IconAlertCircleFilled size={14} aria-hidden />
          <span>{message}</span>
          <code>{line === null ? '' : `${line}:${column ?? 1}`}</code>
        </UnstyledButton>
      ))}
    </section>
  );
}
