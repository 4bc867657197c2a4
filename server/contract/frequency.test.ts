import { describe, expect, it } from 'vitest';
import { parseFrequency, parseFrequencyOverride } from './frequency.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('parseFrequency', () => {
  it.each([
    ['every quarter hour', 15 * MINUTE],
    ['every half hour', 30 * MINUTE],
    ['every half day', 12 * HOUR],
    ['every hour', HOUR],
    ['every day', DAY],
    ['every week', 7 * DAY],
    ['every month', 30 * DAY],
    ['every 30 seconds', 30_000],
    ['every 30s', 30_000],
    ['every 5m', 5 * MINUTE],
    ['every 6min', 6 * MINUTE],
    ['every 5 mins', 5 * MINUTE],
    ['every 30 minutes', 30 * MINUTE],
    ['every 1h', HOUR],
    ['every 1.5 hours', 1.5 * HOUR],
    ['every 2 hrs', 2 * HOUR],
    ['every 1 day', DAY],
    ['every 3 week', 21 * DAY],
    ['every 1 year', 365.25 * DAY],
    ['every 1000000 years', 365_250 * DAY],
    ['90000ms', 90_000],
    ['1h', HOUR],
  ])('reads "%s"', (frequency, intervalMs) => {
    expect(parseFrequency(frequency)).toEqual({ ok: true, intervalMs });
  });

  it.each([
    [45_000, ['s', 'sec', 'secs', 'second', 'seconds']],
    [45 * MINUTE, ['m', 'min', 'mins', 'minute', 'minutes']],
    [45 * HOUR, ['h', 'hr', 'hrs', 'hour', 'hours']],
    [45 * DAY, ['d', 'day', 'days']],
    [45 * 7 * DAY, ['w', 'week', 'weeks']],
    [45 * 365.25 * DAY, ['y', 'yr', 'yrs', 'year', 'years']],
  ] as Array<[number, string[]]>)(
    'reads 45 of a unit as %i ms, with and without prefix and blank',
    (intervalMs, units) => {
      const texts = units.flatMap((unit) => [`45${unit}`, `45 ${unit}`, `every 45${unit}`, `every 45 ${unit}`]);

      expect(texts.map(parseFrequency)).toEqual(texts.map(() => ({ ok: true, intervalMs })));
    },
  );

  it.each([
    '',
    'every',
    'every ',
    'every minute',
    'every 2 months',
    'hour',
    'month',
    'every 0 minutes',
    'every 5',
    'every -5 minutes',
    'hourly',
    'every constructor',
    '* * * * *',
    `every ${'9'.repeat(101)} days`,
  ])('refuses "%s" as unreadable', (frequency) => {
    expect(parseFrequency(frequency)).toMatchObject({ ok: false, code: 'sync_interval_invalid' });
  });

  it.each(['every 29s', 'every 0.4 minutes', 'every 500 ms'])('refuses "%s" as too short', (frequency) => {
    expect(parseFrequency(frequency)).toMatchObject({ ok: false, code: 'sync_interval_too_short' });
  });
});

describe('parseFrequencyOverride', () => {
  it.each([
    ['every hour', '1h', HOUR],
    ['every day', '1d', DAY],
    ['every week', '1w', 7 * DAY],
    ['every month', '30d', 30 * DAY],
    ['every half day', '12h', 12 * HOUR],
    ['every half hour', '30m', 30 * MINUTE],
    ['every quarter hour', '15m', 15 * MINUTE],
    ['every 5 minutes', '5 minutes', 5 * MINUTE],
    ['5m', '5m', 5 * MINUTE],
    ['half day', '12h', 12 * HOUR],
    ['every 2 weeks', '2 weeks', 14 * DAY],
  ])('reads "%s" as %s', (frequency, normalised, intervalMs) => {
    expect(parseFrequencyOverride(frequency)).toEqual({ ok: true, intervalMs, normalised });
  });

  it.each(['every 1.5 hours', 'every 2 years', 'every minute', 'minutes', 'every 2 months', 'sometimes', ''])(
    'refuses "%s"',
    (frequency) => {
      expect(parseFrequencyOverride(frequency)).toMatchObject({ ok: false, code: 'sync_interval_invalid' });
    },
  );

  it('refuses less than 30 seconds', () => {
    expect(parseFrequencyOverride('every 10 seconds')).toMatchObject({ ok: false, code: 'sync_interval_too_short' });
  });
});
