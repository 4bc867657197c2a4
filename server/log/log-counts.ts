import { QUARTER_MS } from '../platform/database/count-slots.ts';
import type { ReadHandle, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { ProxyCountsStore } from '../proxy/proxy-counts.store.ts';
import { RecordCountsStore } from '../records/record-counts.store.ts';
import { OperationCountsStore, RUN_DAY_MS, type RunCountRow } from './operation-counts.store.ts';
import type { OperationListRow } from './operations.store.ts';
import { DAY_MS, HOUR_MS } from './time-buckets.ts';

const CALL_HOURS = 24;
const RUN_DAYS = 7;

/** Calls of one hour. */
interface CallHour {
  calls: number;
  failed: number;
}

/** Runs that have ended, by success, failure or time limit. */
export interface RunSummary extends Pick<RunCountRow, 'type' | 'integrationKey' | 'functionName'> {
  runs: number;
  succeeded: number;
  /** Milliseconds that half of the successful runs took at most; null without one. */
  p50Ms: number | null;
  /** As all but one in twenty. */
  p95Ms: number | null;
  maxMs: number | null;
}

/** Counts of ended operations, so that lists and charts need not read the log (DECISION 115). */
export class LogCounts {
  readonly proxy = new ProxyCountsStore();
  readonly records = new RecordCountsStore();
  readonly #operations = new OperationCountsStore();
  readonly #reader: ReadHandle;
  readonly #clock: Clock;

  constructor(reader: ReadHandle, clock: Clock) {
    this.#reader = reader;
    this.#clock = clock;
  }

  /** Counts operations that have ended, each once. */
  async add(tx: Transaction, ended: readonly OperationListRow[]): Promise<void> {
    await this.#operations.add(tx, ended);
    await this.proxy.add(tx, ended);
    await this.records.add(tx, ended);
  }

  /** Removes counts that are too old for every screen. */
  async removeOld(tx: Transaction): Promise<void> {
    const now = this.#clock.now();
    await this.#operations.removeOld(tx, now);
    await this.proxy.removeOld(tx, now);
    await this.records.removeOld(tx, now);
  }

  /** Proxied requests and runs of the last 24 hours, by the key of their integration. */
  async listCallHours(environmentId: number): Promise<Map<string, CallHour[]>> {
    const last = Math.floor(this.#clock.now() / HOUR_MS) * HOUR_MS;
    const first = last - (CALL_HOURS - 1) * HOUR_MS;
    const rows = await this.#operations.listCalls(this.#reader, environmentId, first);
    const hours = Array.from({ length: CALL_HOURS }, (_, index) => first + index * HOUR_MS);
    return new Map(
      [...Map.groupBy(rows, ({ integrationKey }) => integrationKey)].map(([key, own]) => {
        const byHour = new Map(own.map((row) => [row.hour, row]));
        return [
          key,
          hours.map((hour) => ({ calls: byHour.get(hour)?.calls ?? 0, failed: byHour.get(hour)?.failed ?? 0 })),
        ];
      }),
    );
  }

  /**
   * How runs of each function ended since `from`, in milliseconds; by default in the last seven UTC days, today included.
   * Durations are up to 5 % off. The slot that holds `from` counts whole: a quarter of an hour within the last day, else
   * a UTC day.
   */
  async listRunSummaries(
    environmentId: number,
    from = this.#clock.now() - (RUN_DAYS - 1) * DAY_MS,
  ): Promise<RunSummary[]> {
    const slotMs = this.#clock.now() - from <= DAY_MS ? QUARTER_MS : RUN_DAY_MS;
    const rows = await this.#operations.listRuns(this.#reader, environmentId, from, slotMs);
    const keyOf = (row: RunCountRow): string => JSON.stringify([row.type, row.integrationKey, row.functionName]);
    return [...Map.groupBy(rows, keyOf).values()].flatMap((own) => toRunSummary(own) ?? []);
  }
}

/** Of the counts of one function. */
function toRunSummary(rows: readonly RunCountRow[]): RunSummary | undefined {
  const [first] = rows;
  if (!first) return undefined;
  const { type, integrationKey, functionName } = first;
  const total = (list: typeof rows): number => list.reduce((sum, { runs }) => sum + runs, 0);
  const good = rows.filter(({ hasFailed }) => hasFailed === 0).sort((a, b) => a.durationMs - b.durationMs);
  const succeeded = total(good);
  const durationOf = (share: number): number | null => {
    let rank = Math.ceil(succeeded * share);
    const found = good.find(({ runs }) => {
      rank -= runs;
      return rank <= 0;
    });
    return found?.durationMs ?? null;
  };
  return {
    ...{ type, integrationKey, functionName, runs: total(rows), succeeded },
    ...{ p50Ms: durationOf(0.5), p95Ms: durationOf(0.95), maxMs: good.at(-1)?.durationMs ?? null },
  };
}
