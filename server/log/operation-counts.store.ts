import { addUp, CHART_KEPT_MS, QUARTER_MS, slotOf } from '../platform/database/count-slots.ts';
import type { ReadHandle, Transaction } from '../platform/database/database.ts';
import type { OperationRow } from './operations.store.ts';

const HOUR_MS = 3_600_000;
/** Runs are counted by quarter of an hour and by UTC day. */
export const RUN_DAY_MS = 24 * HOUR_MS;
/** Lists show the calls of 24 hours; one day more covers a clock that was set back. */
const KEPT_CALLS_MS = 48 * HOUR_MS;
/** Durations of the last hour and day are shown by quarter of an hour, those of up to 90 days by day. */
const RUN_SLOTS: ReadonlyArray<readonly [slotMs: number, keptMs: number]> = [
  [QUARTER_MS, 25 * HOUR_MS],
  [RUN_DAY_MS, CHART_KEPT_MS],
];

/** What is needed to count an operation that has ended. */
export type CountedOperation = Pick<
  OperationRow,
  'environmentId' | 'type' | 'action' | 'state' | 'integrationKey' | 'functionName' | 'createdAt' | 'durationMs'
>;

/** Calls of an integration in an hour. */
export interface CallCountRow {
  integrationKey: string;
  /** Start of the hour, in milliseconds. */
  hour: number;
  calls: number;
  failed: number;
}

/** Number of runs of a function with the same outcome. */
export interface RunCountRow {
  integrationKey: string;
  /** Type of the operations: `sync`, `action` or `events`. */
  type: string;
  functionName: string;
  hasFailed: number;
  /** Rounded by up to 5 %; 0 for runs that failed. */
  durationMs: number;
  runs: number;
}

const ENDED = ['success', 'failed', 'timeout'];
const isRun = ({ type, action }: CountedOperation): boolean =>
  type === 'action' || type === 'events' || (type === 'sync' && action === 'run');

/** Counts of the log's entries, kept beside it, so that lists need not read the log (migrations 0040 and 0045). */
export class OperationCountsStore {
  /** Counts ended operations; pass each operation once. Operations of a deleted environment are left out. */
  async add(tx: Transaction, operations: readonly CountedOperation[]): Promise<void> {
    const counted = operations.filter((one) => one.integrationKey !== null && ENDED.includes(one.state));
    const runs = counted.filter((one) => one.functionName !== null && isRun(one));
    const calls = counted.filter((one) => one.type === 'proxy' || (one.functionName !== null && isRun(one)));
    if (calls.length > 0) {
      await tx.run(
        `INSERT INTO call_counts (environment_id, hour, integration_key, calls, failed)
         SELECT entry ->> 0, entry ->> 1, entry ->> 2, entry ->> 3, entry ->> 4
         FROM (SELECT value AS entry FROM json_each(?)) JOIN environments ON id = entry ->> 0 WHERE TRUE
         ON CONFLICT (environment_id, hour, integration_key)
           DO UPDATE SET calls = calls + excluded.calls, failed = failed + excluded.failed`,
        [JSON.stringify(addUp(calls.map(hourOfCall)))],
      );
    }
    if (runs.length > 0) {
      await tx.run(
        `INSERT INTO run_counts
           (environment_id, slot_ms, slot, integration_key, type, function_name, has_failed, duration_ms, runs)
         SELECT entry ->> 0, entry ->> 1, entry ->> 2, entry ->> 3, entry ->> 4, entry ->> 5, entry ->> 6, entry ->> 7,
           entry ->> 8
         FROM (SELECT value AS entry FROM json_each(?)) JOIN environments ON id = entry ->> 0 WHERE TRUE
         ON CONFLICT (environment_id, slot_ms, slot, integration_key, type, function_name, has_failed, duration_ms)
           DO UPDATE SET runs = runs + excluded.runs`,
        [JSON.stringify(addUp(runs.flatMap(slotsOfRun)))],
      );
    }
  }

  /** Calls since the hour that contains `from`, by integration and hour; hours without calls are absent. */
  listCalls(db: ReadHandle, environmentId: number, from: number): Promise<CallCountRow[]> {
    return db.all(
      `SELECT integration_key AS integrationKey, hour, calls, failed FROM call_counts
       WHERE environment_id = ? AND hour >= ?`,
      [environmentId, slotOf(from, HOUR_MS)],
    );
  }

  /** Runs since the slot that contains `from`. Slots are UTC days, or quarters of an hour for the last day. */
  listRuns(db: ReadHandle, environmentId: number, from: number, slotMs: number): Promise<RunCountRow[]> {
    return db.all(
      `SELECT integration_key AS integrationKey, type, function_name AS functionName, has_failed AS hasFailed,
         duration_ms AS durationMs, sum(runs) AS runs FROM run_counts
       WHERE environment_id = ? AND slot_ms = ? AND slot >= ? GROUP BY 1, 2, 3, 4, 5`,
      [environmentId, slotMs, slotOf(from, slotMs)],
    );
  }

  /** Removes counts that are too old for every list. */
  async removeOld(tx: Transaction, now: number): Promise<void> {
    await tx.run('DELETE FROM call_counts WHERE hour < ?', [now - KEPT_CALLS_MS]);
    for (const [slotMs, keptMs] of RUN_SLOTS)
      await tx.run(
        `DELETE FROM run_counts WHERE environment_id IN (SELECT id FROM environments) AND slot_ms = ? AND slot < ?`,
        [slotMs, now - keptMs],
      );
  }
}

const failure = ({ state }: CountedOperation): number => Number(state !== 'success');

const hourOfCall = (one: CountedOperation) => ({
  parts: [one.environmentId, slotOf(one.createdAt, HOUR_MS), one.integrationKey],
  counts: [1, failure(one)],
});

function slotsOfRun(one: CountedOperation) {
  const durationMs = one.state === 'success' ? roundDuration(one.durationMs ?? 0) : 0;
  const what = [one.integrationKey, one.type, one.functionName, failure(one), durationMs];
  return RUN_SLOTS.map(([slotMs]) => ({
    parts: [one.environmentId, slotMs, slotOf(one.createdAt, slotMs), ...what],
    counts: [1],
  }));
}

/** Rounds to 35 values per power of ten: the error is at most 5 %, and a function that runs often has few rows. */
export function roundDuration(durationMs: number): number {
  const unit = 10 ** Math.max(Math.floor(Math.log10(Math.max(durationMs, 1))) - 1, 0);
  const first = durationMs / unit;
  const step = unit * (first < 20 ? 1 : first < 50 ? 2 : 5);
  return Math.round(durationMs / step) * step;
}
