import { afterEach, describe, expect, it } from 'vitest';
import {
  formatClock,
  formatDay,
  formatDuration,
  formatFrequency,
  formatFull,
  formatMinutes,
  formatRelative,
} from './format-time.ts';
import { describePeriod, parsePeriod } from './period.ts';
import { changePreferences } from './preferences.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');

describe('formatDuration', () => {
  it('keeps three figures and one unit', () => {
    expect([42, 7470, 14_000, 300_000, null].map(formatDuration)).toEqual([
      '42 ms',
      '7.47 s',
      '14.0 s',
      '5.0 min',
      'n/a',
    ]);
  });
});

describe('formatRelative', () => {
  it('speaks of past and future', () => {
    expect(formatRelative('2026-11-20T09:56:00Z', NOW)).toBe('4 min ago');
    expect(formatRelative('2026-11-20T09:56:00Z', NOW, true)).toBe('4 min');
    expect(formatRelative('2026-11-20T10:41:30Z', NOW)).toBe('in 41 min');
    expect(formatRelative('2026-11-20T10:00:00Z', NOW)).toBe('now');
  });
});

describe('formatFrequency', () => {
  it('spells one frequency one way', () => {
    const hour = ['every hour', 'every 1 h', '1h', 'every 60 minutes', '60m'];
    expect(hour.map(formatFrequency)).toEqual(hour.map(() => 'every hour'));
    expect(['every 2 hours', '30min', 'every 1 day', '2 days', 'every week', 'every 45s'].map(formatFrequency)).toEqual(
      ['every 2 h', 'every 30 min', 'every day', 'every 2 days', 'every 7 days', 'every 45 s'],
    );
  });

  it('keeps an unknown text unchanged', () => {
    expect(['every half hour', 'quarter hour'].map(formatFrequency)).toEqual(['every half hour', 'every quarter hour']);
  });
});

describe('formatFull', () => {
  it('counts the hours as every other time does', () => {
    expect(formatFull('2026-11-20T15:04:05Z')).toMatch(/\b\d\d:04:05\b/);
    expect(formatFull('2026-11-20T15:04:05Z')).not.toMatch(/[AP]M/);
  });
});

describe('a clock of 12 hours', () => {
  afterEach(() => changePreferences({ hours: 24 }));

  it('is that of every time, and a period reads as it may be typed', () => {
    const options = { nowMs: Date.parse('2026-11-20T22:00:00Z'), isUtc: true };
    const afternoon = parsePeriod('2026-11-20 9am to 2026-11-20 3:30 pm', options);
    changePreferences({ hours: 12 });

    expect(formatClock('2026-11-20T15:04:05.118Z', options.nowMs, false, true)).toBe('03:04:05.118 pm');
    expect(formatMinutes(new Date('2026-11-20T00:04:05Z'), true)).toMatch(/12:04 AM/i);
    expect(formatFull('2026-11-20T15:04:05Z')).toMatch(/[AP]M/i);
    expect(formatDay('2026-11-20T15:04:05Z')).not.toMatch(/[AP]M/i);
    expect(afternoon && describePeriod(afternoon, true)).toMatch(/ 9:00 am – 3:30 pm$/);
  });
});

describe('a zone that a person chose', () => {
  afterEach(() => changePreferences({ timeZone: null }));

  it('is that of every time', () => {
    changePreferences({ timeZone: 'Asia/Kolkata' });

    expect(formatClock('2026-06-01T20:02:41.118Z', Date.parse('2026-06-01T21:00:00Z'))).toBe('01:32:41.118');
  });
});
