import { Button, Group, Modal } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { type ReactNode, useRef, useState } from 'react';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { notifyDone } from '../notify.ts';
import classes from './use-bulk.module.css';

export interface BulkProblem {
  code: string;
  message: string;
}

interface BulkCommand<Row> {
  /** While it runs: "Deleting". */
  doing: string;
  /** Afterwards: "deleted". */
  done: string;
  /** One of what the rows are: "connection". */
  noun: string;
  rows: readonly Row[];
  nameOf: (row: Row) => string;
  /** Carries it out for some of the rows; what went wrong with each, in their order, null where nothing did. */
  send: (rows: Row[]) => Promise<Array<BulkProblem | null>>;
  /** At the end, with the rows it was not done for. */
  onEnd: (failed: readonly Row[]) => void;
}

interface Course<Row> {
  command: BulkCommand<Row>;
  ended: number;
  failed: Array<{ row: Row; problem: BulkProblem }>;
  isOver: boolean;
}

/** So many rows go in one request. */
const SLICE = 25;

/** Does one thing to many rows and says of each what became of it. Put `dialog` somewhere in the page. */
export function useBulk<Row>(describeError: (error: Error) => BulkProblem): {
  run: (command: BulkCommand<Row>) => Promise<void>;
  dialog: ReactNode;
} {
  const [course, setCourse] = useState<Course<Row>>();
  const isStopped = useRef(false);
  const run = async (command: BulkCommand<Row>): Promise<void> => {
    isStopped.current = false;
    const failed: Course<Row>['failed'] = [];
    let ended = 0;
    setCourse({ command, ended, failed, isOver: false });
    for (let from = 0; from < command.rows.length && !isStopped.current; from += SLICE) {
      const slice = command.rows.slice(from, from + SLICE);
      const problems = await command.send(slice).catch((error: Error) => slice.map(() => describeError(error)));
      slice.forEach((row, index) => {
        const problem = problems[index];
        if (problem) failed.push({ row, problem });
      });
      ended += slice.length;
      setCourse({ command, ended, failed: [...failed], isOver: false });
    }
    const left = [...failed.map(({ row }) => row), ...command.rows.slice(ended)];
    command.onEnd(left);
    const isWhole = left.length === 0;
    if (isWhole) notifyDone(`${formatCount(ended, command.noun)} ${command.done}`);
    setCourse(isWhole ? undefined : { command, ended, failed, isOver: true });
  };
  const stop = (): void => {
    isStopped.current = true;
  };
  return { run, dialog: <BulkDialog course={course} onStop={stop} onRun={run} onClose={() => setCourse(undefined)} /> };
}

interface BulkDialogProps<Row> {
  course: Course<Row> | undefined;
  onStop: () => void;
  onRun: (command: BulkCommand<Row>) => Promise<void>;
  onClose: () => void;
}

function BulkDialog<Row>({ course, onStop, onRun, onClose }: BulkDialogProps<Row>) {
  const clipboard = useClipboard();
  if (!course) return null;
  const { command, ended, failed, isOver } = course;
  const { noun, rows, nameOf, doing, done } = command;
  const untouched = rows.length - ended;
  if (!isOver) {
    return (
      <Modal opened onClose={onStop} withCloseButton={false} title={`${doing} ${formatCount(rows.length, noun)}`}>
        <progress className={classes['progress']} value={ended} max={rows.length} aria-label={doing} />
        <Group justify="space-between" mt={12}>
          <span className="soft">
            {formatNumber(ended)} of {formatNumber(rows.length)}
          </span>
          <Button variant="default" onClick={onStop}>
            Stop
          </Button>
        </Group>
      </Modal>
    );
  }
  const again = (): void => void onRun({ ...command, rows: failed.map(({ row }) => row) });
  const copy = (): void =>
    clipboard.copy(failed.map(({ row, problem }) => `${nameOf(row)}\t${problem.code}\t${problem.message}`).join('\n'));
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      size={560}
      title={`${formatNumber(ended - failed.length)} of ${formatCount(rows.length, noun)} ${done}`}
    >
      {untouched > 0 && (
        <p className="soft">It was stopped: {formatCount(untouched, noun)} were not touched and stay selected.</p>
      )}
      {failed.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list is scrolled by keyboard.
        <ul className={classes['failed']} aria-label="Not done" tabIndex={0}>
          {failed.map(({ row, problem }) => (
            <li key={nameOf(row)}>
              <b className="cut">{nameOf(row)}</b>
              <span>{problem.message}</span>
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
        {failed.length > 0 && <Button onClick={again}>Try {formatNumber(failed.length)} again</Button>}
      </Group>
    </Modal>
  );
}
