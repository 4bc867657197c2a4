import { lazy, Suspense, useEffect, useRef } from 'react';
import { describeError, type Problem } from '../../lib/api-error.ts';
import { formatCount } from '../../lib/format-number.ts';
import { type TakeBack, together } from '../../lib/take-back.ts';
import { notifyUndoable } from '../notice/notify-undoable.ts';
import { useOverPage } from '../page/over-page.tsx';

const BulkDialog = lazy(async () => ({ default: (await import('./BulkDialog.tsx')).BulkDialog }));

/** The failure of each row in their order, null for success, and the way back for the others. */
export interface BulkAnswer {
  problems: Array<Problem | null>;
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
  /** Called at the end, with the rows for which it failed, if the screen is still open. */
  onEnd: (failed: readonly Row[]) => void;
}

/** Rows per request. */
const SLICE = 25;

/**
 * Applies one command to many rows and collects a result for each. It goes on when the screen is left: its progress and
 * its results are shown over whatever page is open.
 */
export function useBulk<Row>(): (command: BulkCommand<Row>) => Promise<void> {
  const show = useOverPage();
  const isScreenOpen = useRef(false);
  useEffect(() => {
    isScreenOpen.current = true;
    return () => {
      isScreenOpen.current = false;
    };
  }, []);
  const run = async (command: BulkCommand<Row>): Promise<void> => {
    const failed: Array<{ row: Row; problem: Problem }> = [];
    const ways: Array<TakeBack | undefined> = [];
    let ended = 0;
    let isStopped = false;
    const showCourse = (isOver: boolean): void =>
      show(
        <Suspense fallback={null}>
          <BulkDialog
            command={{ ...command, count: command.rows.length }}
            ended={ended}
            failed={failed.map(({ row, problem }) => ({ name: command.nameOf(row), problem }))}
            isOver={isOver}
            onStop={() => {
              isStopped = true;
            }}
            onAgain={() => void run({ ...command, rows: failed.map(({ row }) => row) })}
            onClose={() => show(undefined)}
          />
        </Suspense>,
      );
    showCourse(false);
    for (let from = 0; from < command.rows.length && !isStopped; from += SLICE) {
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
      showCourse(false);
    }
    const left = [...failed.map(({ row }) => row), ...command.rows.slice(ended)];
    if (isScreenOpen.current) command.onEnd(left);
    const isWhole = left.length === 0;
    const count = ended - failed.length;
    const takeBack = together(ways);
    // What waits as long as the notice is shown is not done yet.
    const verb = count === 1 ? ' is being' : ' are being';
    const done = `${formatCount(count, command.noun)}${takeBack?.keep ? verb : ''} ${command.done}`;
    // The dialog with the failures says the rest.
    if (isWhole || takeBack) notifyUndoable(done, takeBack);
    if (isWhole) show(undefined);
    else showCourse(true);
  };
  return run;
}
