import { describe, expect, it } from 'vitest';
import { cutPeriod, DAY_MS, HOUR_MS } from './time-buckets.ts';

const at = (iso: string): number => Date.parse(iso);
const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 16);
/** The starts of the buckets, and the end of the last one. */
function edges(from: string, to: string, sizeMs: number, timeZone: string): string[] {
  const { starts, end } = cutPeriod({ from: at(from), to: at(to), sizeMs, timeZone });
  return [...starts, end].map(iso);
}

describe('cutPeriod', () => {
  it('begins days at midnight of the zone when clocks go forward and a day has 23 hours', () => {
    expect(edges('2026-03-28T11:00:00Z', '2026-03-30T10:00:00Z', DAY_MS, 'Europe/Berlin')).toEqual([
      '2026-03-27T23:00',
      '2026-03-28T23:00',
      '2026-03-29T22:00',
      '2026-03-30T22:00',
    ]);
  });

  it('begins days at midnight of the zone when clocks go back and a day has 25 hours', () => {
    expect(edges('2026-10-31T12:00:00Z', '2026-11-02T12:00:00Z', DAY_MS, 'America/New_York')).toEqual([
      '2026-10-31T04:00',
      '2026-11-01T04:00',
      '2026-11-02T05:00',
      '2026-11-03T05:00',
    ]);
  });

  it('knows the midnight before a change that lies before the period', () => {
    const [start, end] = edges('2026-03-29T12:00:00Z', '2026-03-29T13:00:00Z', DAY_MS, 'Europe/Berlin');

    expect([start, end]).toEqual(['2026-03-28T23:00', '2026-03-29T22:00']);
  });

  it('begins a day whose midnight clocks skip when they change', () => {
    expect(edges('2026-09-05T12:00:00Z', '2026-09-06T12:00:00Z', DAY_MS, 'America/Santiago')).toEqual([
      '2026-09-05T04:00',
      '2026-09-06T04:00',
      '2026-09-07T03:00',
    ]);
  });

  it('keeps hours of the clock for parts of a day', () => {
    expect(edges('2026-03-28T23:00:00Z', '2026-03-29T21:59:00Z', 6 * HOUR_MS, 'Europe/Berlin')).toEqual([
      '2026-03-28T23:00',
      '2026-03-29T04:00',
      '2026-03-29T10:00',
      '2026-03-29T16:00',
      '2026-03-29T22:00',
    ]);
  });

  it('has two buckets for an hour that occurs twice, and no bucket for a skipped hour', () => {
    expect(edges('2026-10-24T23:00:00Z', '2026-10-25T02:30:00Z', HOUR_MS, 'Europe/Berlin')).toHaveLength(5);
    expect(edges('2026-03-29T00:00:00Z', '2026-03-29T02:30:00Z', HOUR_MS, 'Europe/Berlin')).toHaveLength(4);
  });

  it('begins hours with those of clocks that are half an hour aside', () => {
    expect(edges('2026-06-01T10:00:00Z', '2026-06-01T10:40:00Z', HOUR_MS, 'Asia/Kolkata')).toEqual([
      '2026-06-01T09:30',
      '2026-06-01T10:30',
      '2026-06-01T11:30',
    ]);
  });

  it('cuts the period where clocks change, so that each part is counted with its own offset', () => {
    const [from, to] = [at('2026-03-28T23:00:00Z'), at('2026-03-30T10:00:00Z')];
    const change = at('2026-03-29T01:00:00Z');

    expect(cutPeriod({ from, to, sizeMs: DAY_MS, timeZone: 'Europe/Berlin' }).spans).toEqual([
      { from, to: change - 1, offsetMs: HOUR_MS },
      { from: change, to, offsetMs: 2 * HOUR_MS },
    ]);
    expect(cutPeriod({ from, to, sizeMs: HOUR_MS, timeZone: 'Europe/Berlin' }).spans).toHaveLength(1);
  });
});
