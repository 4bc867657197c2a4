import type { ReadHandle, Transaction } from '../database/database.ts';
import type { OperationRow } from './operations-store.ts';

const HOUR_MS = 3_600_000;
/** Runs are counted by UTC day. */
const RUN_SLOT_MS = 24 * HOUR_MS;
/** Lists look back 24 hours over calls and seven days over runs; a day more covers a clock that is put back. */
const KEPT_CALLS_MS = 48 * HOUR_MS;
const KEPT_RUNS_MS = 8 * 24 * HOUR_MS;

/** What a count needs to know of an operation that has ended. */
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

/** Runs of a function that ended alike. */
export interface RunCountRow {
  integrationKey: string;
  /** Of the operations: `sync`, `action` or `events`. */
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

/** Counts of what the log holds, kept beside it, so that lists need not go over it (migration 0040). */
export class OperationCountsStore {
  /** Counts operations that have ended, each once. Those of a deleted environment are left out. */
  async add(tx: Transaction, operations: readonly CountedOperation[]): Promise<void> {
    const counted = operations.filter((one) => one.integrationKey !== null && ENDED.includes(one.state));
    const runs = counted.filter((one) => one.functionName !== null && isRun(one));
    const calls = counted.filter((one) => one.type === 'proxy' || (one.functionName !== null && isRun(one)));
    if (calls.length > 0) {
      await tx.run(
        `INSERT INTO call_counts (environment_id, hour, integration_key, calls, failed)
         SELECT entry ->> 0, entry ->> 1, entry ->> 2, count(*), sum(entry ->> 3)
         FROM (SELECT value AS entry FROM json_each(?)) JOIN environments ON id = entry ->> 0 GROUP BY 1, 2, 3
         ON CONFLICT (environment_id, hour, integration_key)
           DO UPDATE SET calls = calls + excluded.calls, failed = failed + excluded.failed`,
        [
          JSON.stringify(
            calls.map((one) => [one.environmentId, floorTo(one.createdAt, HOUR_MS), one.integrationKey, failure(one)]),
          ),
        ],
      );
    }
    if (runs.length > 0) {
      await tx.run(
        `INSERT INTO run_counts
           (environment_id, slot, integration_key, type, function_name, has_failed, duration_ms, runs)
         SELECT entry ->> 0, entry ->> 1, entry ->> 2, entry ->> 3, entry ->> 4, entry ->> 5, entry ->> 6, count(*)
         FROM (SELECT value AS entry FROM json_each(?)) JOIN environments ON id = entry ->> 0
         GROUP BY 1, 2, 3, 4, 5, 6, 7
         ON CONFLICT (environment_id, integration_key, type, function_name, has_failed, duration_ms, slot)
           DO UPDATE SET runs = runs + excluded.runs`,
        [
          JSON.stringify(
            runs.map((one) => [
              one.environmentId,
              floorTo(one.createdAt, RUN_SLOT_MS),
              one.integrationKey,
              one.type,
              one.functionName,
              failure(one),
              one.state === 'success' ? roundDuration(one.durationMs ?? 0) : 0,
            ]),
          ),
        ],
      );
    }
  }

  /** Calls since the hour that holds `from`, by integration and hour; hours without calls are absent. */
  listCalls(db: ReadHandle, environmentId: number, from: number): Promise<CallCountRow[]> {
    return db.all(
      `SELECT integration_key AS integrationKey, hour, calls, failed FROM call_counts
       WHERE environment_id = ? AND hour >= ?`,
      [environmentId, floorTo(from, HOUR_MS)],
    );
  }

  /** Runs since the slot that holds `from`. */
  listRuns(db: ReadHandle, environmentId: number, from: number): Promise<RunCountRow[]> {
    return db.all(
      `SELECT integration_key AS integrationKey, type, function_name AS functionName, has_failed AS hasFailed,
         duration_ms AS durationMs, sum(runs) AS runs FROM run_counts
       WHERE environment_id = ? AND slot >= ? GROUP BY 1, 2, 3, 4, 5`,
      [environmentId, floorTo(from, RUN_SLOT_MS)],
    );
  }

  /** Forgets what no list looks at any more. */
  async removeOld(tx: Transaction, now: number): Promise<void> {
    await tx.run('DELETE FROM call_counts WHERE hour < ?', [now - KEPT_CALLS_MS]);
    await tx.run('DELETE FROM run_counts WHERE slot < ?', [now - KEPT_RUNS_MS]);
  }
}

const floorTo = (at: number, sizeMs: number): number => Math.floor(at / sizeMs) * sizeMs;
const failure = ({ state }: CountedOperation): number => Number(state !== 'success');

/** To 35 different values for each power of ten: at most 5 % off, and few rows for a function that runs often. */
export function roundDuration(durationMs: number): number {
  const unit = 10 ** Math.max(Math.floor(Math.log10(Math.max(durationMs, 1))) - 1, 0);
  const first = durationMs / unit;
  const step = unit * (first < 20 ? 1 : first < 50 ? 2 : 5);
  return Math.round(durationMs / step) * step;
}
