import { describe, expect, it } from 'vitest';
import { byProvider, byState, byStatusClass, condense, failuresByKind, ticksUpTo, toCsv } from './activity-series.ts';

const BUCKETS = [
  { at: '2026-01-01T00:00:00.000Z', counts: { sync: { success: 3, failed: 1 }, proxy: { success: 9, timeout: 2 } } },
  { at: '2026-01-01T01:00:00.000Z', counts: { action: { success: 2, cancelled: 1 } } },
];

describe('byState', () => {
  it('adds kinds up, and leaves out states that never occur', () => {
    const { series, points } = byState(BUCKETS, ['sync', 'action']);

    expect(series.map(({ name }) => name)).toEqual(['Success', 'Cancelled', 'Failed']);
    expect(points.map(({ values }) => values)).toEqual([
      [3, 0, 1],
      [2, 1, 0],
    ]);
  });
});

describe('failuresByKind', () => {
  it('counts timeouts as failures', () => {
    const { series, points } = failuresByKind(BUCKETS);

    expect(series.map(({ name }) => name)).toEqual(['Syncs', 'API calls']);
    expect(points[0]?.values).toEqual([1, 2]);
  });
});

const CALLS = [
  {
    at: '2026-01-01T00:00:00.000Z',
    calls: ['a', 'b', 'c', 'd', 'e', 'f'].map((provider, index) => ({ provider, statusClass: 2, calls: 6 - index })),
  },
  { at: '2026-01-01T01:00:00.000Z', calls: [{ provider: 'b', statusClass: 0, calls: 9 }] },
];

describe('byStatusClass', () => {
  it('names requests without an answer, and leaves out unusual classes that never occur', () => {
    const { series, points } = byStatusClass(CALLS);

    expect(series.map(({ name }) => name)).toEqual(['2xx', '4xx', '5xx', 'No response']);
    expect(points.map(({ values }) => values)).toEqual([
      [21, 0, 0, 0],
      [0, 0, 0, 9],
    ]);
  });
});

describe('byProvider', () => {
  it('puts the busiest first and adds the rest up', () => {
    const { series, points } = byProvider(CALLS);

    expect(series.map(({ name }) => name)).toEqual(['b', 'a', 'c', 'd', 'Others']);
    expect(points.map(({ values }) => values)).toEqual([
      [5, 6, 4, 3, 3],
      [9, 0, 0, 0, 0],
    ]);
  });
});

describe('condense', () => {
  it('adds neighbours up where there are more points than bars', () => {
    const points = [1, 2, 3].map((value, hour) => ({ at: `2026-01-01T0${hour}:00:00.000Z`, values: [value] }));

    expect(condense(points, 60, 2)).toEqual({
      bars: [
        { at: '2026-01-01T00:00:00.000Z', values: [3] },
        { at: '2026-01-01T02:00:00.000Z', values: [3] },
      ],
      sizeMs: 120,
    });
  });
});

describe('ticksUpTo', () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [68, [0, 20, 40, 60, 80]],
    [75, [0, 20, 40, 60, 80]],
    [950, [0, 250, 500, 750, 1000]],
  ])('%s → %s', (most, ticks) => {
    expect(ticksUpTo(most)).toEqual(ticks);
  });
});

describe('toCsv', () => {
  it('has a line with the names first', () => {
    const { series, points } = byState(BUCKETS, ['proxy']);

    expect(toCsv(series, points).split('\n').slice(0, 2)).toEqual([
      'Time,Success,Timeout,Failed',
      '2026-01-01T00:00:00.000Z,9,2,0',
    ]);
  });
});
