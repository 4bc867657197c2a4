import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { formatCount } from '../../lib/format-number.ts';
import { type TakeBack, together } from '../../lib/take-back.ts';
import { notifyUndoable } from '../notify-undoable.ts';
import type { BulkProblem } from './BulkDialog.tsx';

const BulkDialog = lazy(async () => ({ default: (await import('./BulkDialog.tsx')).BulkDialog }));

/** The failure of each row in their order, null for success, and the way back for the others. */
export interface BulkAnswer {
  problems: Array<BulkProblem | null>;
  takeBack?: TakeBack | undefined;
}

interface BulkCommand<Row> {
  /** While it runs: "Deleting". */
  doing: string;
  /** Afterwards: "deleted". */
  done: string;
  /** The noun for one row: "connection". */
  noun: string;
  rows: readonly Row[];
  nameOf: (row: Row) => string;
  /** Runs it for some rows. */
  send: (rows: Row[]) => Promise<BulkAnswer>;
  /** Called at the end, with the rows for which it failed. */
  onEnd: (failed: readonly Row[]) => void;
}

interface Course<Row> {
  command: BulkCommand<Row>;
  ended: number;
  failed: Array<{ row: Row; problem: BulkProblem }>;
  isOver: boolean;
}

/** Rows per request. */
const SLICE = 25;

/** Applies one command to many rows and collects a result for each. Render `dialog` somewhere in the page. */
export function useBulk<Row>(describeError: (error: Error) => BulkProblem): {
  run: (command: BulkCommand<Row>) => Promise<void>;
  dialog: ReactNode;
} {
  const [course, setCourse] = useState<Course<Row>>();
  const isStopped = useRef(false);
  const run = async (command: BulkCommand<Row>): Promise<void> => {
    isStopped.current = false;
    const failed: Course<Row>['failed'] = [];
    const ways: Array<TakeBack | undefined> = [];
    let ended = 0;
    setCourse({ command, ended, failed, isOver: false });
    for (let from = 0; from < command.rows.length && !isStopped.current; from += SLICE) {
      const slice = command.rows.slice(from, from + SLICE);
      const { problems, takeBack } = await command.send(slice).catch(
        (error: Error): BulkAnswer => ({
          problems: slice.map(() => describeError(error)),
        }),
      );
      ways.push(takeBack);
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
    const count = ended - failed.length;
    const takeBack = together(ways);
    // What waits as long as the notice is shown is not done yet.
    const verb = count === 1 ? ' is being' : ' are being';
    const done = `${formatCount(count, command.noun)}${takeBack?.keep ? verb : ''} ${command.done}`;
    // The dialog with the failures says the rest.
    if (isWhole || takeBack) notifyUndoable(done, takeBack, describeError);
    setCourse(isWhole ? undefined : { command, ended, failed, isOver: true });
  };
  const stop = (): void => {
    isStopped.current = true;
  };
  const again = ({ command, failed }: Course<Row>): Promise<void> =>
    run({ ...command, rows: failed.map(({ row }) => row) });
  const dialog = course && (
    <Suspense fallback={null}>
      <BulkDialog
        {...course}
        command={{ ...course.command, count: course.command.rows.length }}
        failed={course.failed.map(({ row, problem }) => ({ name: course.command.nameOf(row), problem }))}
        onStop={stop}
        onAgain={() => void again(course)}
        onClose={() => setCourse(undefined)}
      />
    </Suspense>
  );
  return { run, dialog };
}
