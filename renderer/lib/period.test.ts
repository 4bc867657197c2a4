import { afterEach, describe, expect, it } from 'vitest';
import {
  describePeriod,
  type Period,
  parsePeriod,
  readPeriod,
  shiftPeriod,
  utcOffsetText,
  writePeriod,
} from './period.ts';
import { changePreferences } from './preferences.ts';

const nowMs = Date.UTC(2026, 10, 22, 10, 30);
const at = (day: number, hours: number, minutes = 0): number => Date.UTC(2026, 10, day, hours, minutes);
const parse = (text: string): Period | undefined => parsePeriod(text, { nowMs, isUtc: true });
const range = (from: number, to: number): Period => ({ kind: 'range', from, to });

afterEach(() => changePreferences({ timeZone: null }));

describe('parsePeriod', () => {
  it('takes spans up to now', () => {
    const spans = ['last 30m', '2h', 'past 3 days', 'last hour', '1.5 h'].map(parse);

    expect(spans.map((one) => one?.kind === 'last' && one.spanMs / 60_000)).toEqual([30, 120, 4320, 60, 90]);
  });

  it('takes days and hours of days', () => {
    expect(parse('today 9-11')).toEqual(range(at(22, 9), at(22, 11)));
    expect(parse('yesterday 14:30 to 16')).toEqual(range(at(21, 14, 30), at(21, 16)));
    expect(parse('9am - 10:15 am')).toEqual(range(at(22, 9), at(22, 10, 15)));
    expect(parse('yesterday')).toEqual(range(at(21, 0), at(22, 0) - 1));
    expect(parse('2026-11-20 10:00 to 2026-11-21 9:30')).toEqual(range(at(20, 10), at(21, 9, 30)));
    expect(parse('2026-11-19 to 2026-11-20')).toEqual(range(at(19, 0), at(21, 0) - 1));
    expect(parse('today 9 to now')).toEqual(range(at(22, 9), nowMs));
  });

  it('takes an open end, and any time', () => {
    expect(parse('since yesterday 8:15')).toEqual({ kind: 'range', from: at(21, 8, 15), to: undefined });
    expect(parse('Any time')).toEqual({ kind: 'any' });
  });

  it('refuses a text that it does not understand and a period that ends before it begins', () => {
    expect(['soon', '', 'today 11-9', '25:00-26:00', '2026-02-31', 'last 0m'].map(parse)).toEqual(
      Array.from({ length: 6 }, () => undefined),
    );
  });

  it('refuses a span that would begin before 1970, which no address can hold', () => {
    expect(['last 99999999d', '2970 w', `last ${'9'.repeat(400)}d`].map(parse)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(parse('last 2960 weeks')).toMatchObject({ kind: 'last' });
  });

  it('reads local times where these are shown', () => {
    const local = parsePeriod('today 9-11', { nowMs, isUtc: false });

    const start = new Date(nowMs);
    expect(local).toEqual(range(start.setHours(9, 0, 0, 0), start.setHours(11, 0, 0, 0)));
  });

  it('reads times of the zone that the person chose, on a day that has 25 hours too', () => {
    changePreferences({ timeZone: 'America/New_York' });
    const read = (text: string): Period | undefined => parsePeriod(text, { nowMs, isUtc: false });

    expect(read('today 9-11')).toEqual(range(at(22, 14), at(22, 16)));
    expect(read('2026-11-01')).toEqual(range(at(1, 4), at(2, 5) - 1));
    expect(describePeriod(range(at(22, 2), at(22, 14)), false)).toMatch(/21.*21:00 – .*22.* 09:00$/);
  });
});

describe('a period in the address', () => {
  it('reads back the period that it wrote', () => {
    const periods: Period[] = [
      { kind: 'any' },
      { kind: 'last', spanMs: 900_000 },
      { kind: 'last', spanMs: 86_400_000 },
      range(1000, 2000),
    ];
    for (const period of periods) {
      const { period: text, live } = writePeriod(period, nowMs);
      expect(readPeriod(text, live)).toEqual(period);
    }
  });

  it('stands still without `live=true`, as links of charts are', () => {
    expect(readPeriod('1000,2000', undefined)).toEqual(range(1000, 2000));
  });
});

describe('shiftPeriod', () => {
  it('moves by its own length, and moves with the time again at the end', () => {
    const hour = 3_600_000;
    const before = shiftPeriod({ kind: 'last', spanMs: hour }, -1, nowMs);

    expect(before).toEqual(range(nowMs - 2 * hour, nowMs - hour));
    expect(before && shiftPeriod(before, 1, nowMs)).toEqual({ kind: 'last', spanMs: hour });
    expect(before && shiftPeriod(before, 1, nowMs + 60_000)).toEqual({ kind: 'last', spanMs: hour });
    expect(shiftPeriod({ kind: 'any' }, -1, nowMs)).toBeUndefined();
  });
});

describe('describePeriod', () => {
  it('names presets, spans and ranges', () => {
    expect(describePeriod({ kind: 'last', spanMs: 3_600_000 }, true)).toBe('Last hour');
    expect(describePeriod({ kind: 'last', spanMs: 1_800_000 }, true)).toBe('Last 30 minutes');
    expect(describePeriod(range(at(22, 9), at(22, 11)), true)).toMatch(/22.*09:00 – 11:00$/);
    expect([utcOffsetText(120), utcOffsetText(-210), utcOffsetText(0)]).toEqual(['UTC+2', 'UTC−3:30', 'UTC']);
  });
});
