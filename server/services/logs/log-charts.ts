import type { OperationState } from './operation.ts';

export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** More points than this no chart shows (ui.md 16.4). */
const MOST_BUCKETS = 2_000;

export type StateCounts = Partial<Record<OperationState, number>>;

export interface HistogramBucket {
  /** Start of the bucket, in milliseconds. */
  at: number;
  total: number;
  states: StateCounts;
}

/** One UTC day (ui.md 7, insights). */
export interface InsightsDay {
  key: string;
  total: number;
  success: number;
  failure: number;
  expired: number;
  cancelled: number;
  running: number;
}

/** A minute up to six hours, an hour up to two weeks, else a day; coarser when the period is too long for it. */
export function bucketSizeMs(periodMs: number, wishedMs?: number): number {
  const automatic = periodMs <= 6 * HOUR_MS ? MINUTE_MS : periodMs <= 14 * DAY_MS ? HOUR_MS : DAY_MS;
  return Math.max(Math.trunc(wishedMs ?? automatic), Math.ceil(periodMs / MOST_BUCKETS), 1);
}

/** Every bucket of the period, the empty ones too. */
export function toHistogram(
  counts: ReadonlyArray<{ bucket: number; state: string; count: number }>,
  period: { from: number; to: number; sizeMs: number; offsetMs: number },
): HistogramBucket[] {
  const { from, to, sizeMs, offsetMs } = period;
  const first = Math.floor((from - offsetMs) / sizeMs);
  const last = Math.floor((to - offsetMs) / sizeMs);
  const buckets = Array.from({ length: last - first + 1 }, (_, index): HistogramBucket => {
    return { at: (first + index) * sizeMs + offsetMs, total: 0, states: {} };
  });
  for (const { bucket, state, count } of counts) {
    const target = buckets[bucket - first];
    if (!target) continue;
    target.total += count;
    target.states[state as OperationState] = count;
  }
  return buckets;
}

export function toInsightsDay({ at, total, states }: HistogramBucket): InsightsDay {
  return {
    key: new Date(at).toISOString().slice(0, 10),
    total,
    success: states.success ?? 0,
    failure: states.failed ?? 0,
    expired: states.timeout ?? 0,
    cancelled: states.cancelled ?? 0,
    running: (states.running ?? 0) + (states.waiting ?? 0),
  };
}
