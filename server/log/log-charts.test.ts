import { describe, expect, it } from 'vitest';
import { bucketSizeMs, toHistogram, toInsightsDay } from './log-queries.ts';
import { DAY_MS } from './time-buckets.ts';

describe('bucketSizeMs', () => {
  it('follows the period unless a size is wished', () => {
    expect(bucketSizeMs(3_600_000)).toBe(60_000);
    expect(bucketSizeMs(7 * DAY_MS)).toBe(3_600_000);
    expect(bucketSizeMs(90 * DAY_MS)).toBe(DAY_MS);
    expect(bucketSizeMs(DAY_MS, 300_000)).toBe(300_000);
  });

  it('never makes more than 2,000 buckets', () => {
    expect(DAY_MS / bucketSizeMs(DAY_MS, 1)).toBeLessThanOrEqual(2_000);
  });
});

describe('toHistogram', () => {
  it('fills empty buckets and adds up states', () => {
    const counts = [
      { bucket: 7, state: 'failed', count: 2 },
      { bucket: 9, state: 'success', count: 2 },
      { bucket: 9, state: 'failed', count: 1 },
      // A bucket in which clocks change is counted in two parts.
      { bucket: 9, state: 'success', count: 1 },
    ];

    expect(toHistogram(counts, { first: 7, starts: [10, 20, 30] })).toEqual([
      { at: 10, total: 2, states: { failed: 2 } },
      { at: 20, total: 0, states: {} },
      { at: 30, total: 4, states: { success: 3, failed: 1 } },
    ]);
  });
});

describe('toInsightsDay', () => {
  it('names the day and counts waiting as running', () => {
    const day = toInsightsDay({ at: DAY_MS, total: 5, states: { waiting: 1, running: 1, timeout: 1, failed: 2 } });

    expect(day).toEqual({ key: '1970-01-02', total: 5, success: 0, failure: 2, expired: 1, cancelled: 0, running: 2 });
  });
});
