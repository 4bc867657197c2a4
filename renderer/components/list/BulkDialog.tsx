import { Button, Group } from '@mantine/core';
import { useEffect } from 'react';
import type { Problem } from '../../lib/api-error.ts';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { copyText } from '../copy-text.ts';
import { OpenModal } from '../notice/OpenModal.tsx';
import classes from './BulkDialog.module.css';

interface BulkDialogProps {
  /** The words for the command, and the number of rows. */
  command: { doing: string; done: string; noun: string; count: number };
  ended: number;
  failed: Array<{ name: string; problem: Problem }>;
  isOver: boolean;
  onStop: () => void;
  /** Tries again for the rows that failed. */
  onAgain: () => void;
  onClose: () => void;
}

/** Progress of a command on many rows, and at its end the results. */
export function BulkDialog({ command, ended, failed, isOver, onStop, onAgain, onClose }: BulkDialogProps) {
  const { noun, count, doing, done } = command;
  const untouched = count - ended;
  // Closing the window would end it half done, without a result.
  useEffect(() => {
    if (isOver) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isOver]);
  if (!isOver) {
    return (
      <OpenModal onClose={onStop} withCloseButton={false} title={`${doing} ${formatCount(count, noun)}`}>
        <progress
          className="full"
          style={{ display: 'block', height: 6, accentColor: 'var(--hp-accent)' }}
          value={ended}
          max={count}
          aria-label={doing}
        />
        <Group justify="space-between" mt={12}>
          <span className="soft">
            {formatNumber(ended)} of {formatNumber(count)}
          </span>
          <Button variant="default" onClick={onStop}>
            Stop
          </Button>
        </Group>
      </OpenModal>
    );
  }
  const copy = (): void =>
    void copyText(
      failed.map(({ name, problem }) => `${name}\t${problem.code}\t${problem.message}`).join('\n'),
      'List copied',
    );
  return (
    <OpenModal
      onClose={onClose}
      withCloseButton={false}
      size={560}
      title={`${formatNumber(ended - failed.length)} of ${formatCount(count, noun)} ${done}`}
    >
      {untouched > 0 && (
        <p className="soft">Stopped: {formatCount(untouched, noun)} were not changed and stay selected.</p>
      )}
      {failed.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list is scrolled by keyboard.
        <ul className={`line-above ${classes['failed']}`} aria-label="Not done" tabIndex={0}>
          {failed.map(({ name, problem }) => (
            <li className="grid gap-12 line-below breaks" key={name}>
              <b className="cut name">{name}</b>
              <span className="soft">{problem.message}</span>
            </li>
          ))}
        </ul>
      )}
      <Group justify="flex-end" gap={8} mt={16}>
        {failed.length > 0 && (
          <Button variant="subtle" onClick={copy}>
            Copy list
          </Button>
        )}
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
        {failed.length > 0 && <Button onClick={onAgain}>Try {formatNumber(failed.length)} again</Button>}
      </Group>
    </OpenModal>
  );
}
