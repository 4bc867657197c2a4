import { afterEach, describe, expect, it } from 'vitest';
import { changePreferences } from '../../lib/preferences.ts';
import { fromInputValue, toInputValue } from '../../lib/shown-zone.ts';
import { momentIndex, pastChoices } from './past-moments.ts';

afterEach(() => changePreferences({ timeZone: null }));

describe('past moments', () => {
  it('are offered as far as the history reaches', () => {
    const now = Date.parse('2026-11-20T12:00:00Z');
    const labels = (since: string): string[] => pastChoices(since, now).map(({ label }) => label);

    expect(labels('2026-11-01T00:00:00Z')).toEqual(['15 minutes ago', '1 hour ago', '1 day ago', '1 week ago']);
    expect(labels('2026-11-20T11:30:00.123456+00:00')).toEqual(['15 minutes ago']);
    expect(labels('2026-11-20T11:59:00Z')).toEqual([]);
    expect(pastChoices('2026-11-01T00:00:00Z', now)[1]?.at).toBe('2026-11-20T11:00:00.000Z');
  });

  it('go into a field and come back', () => {
    expect(fromInputValue(toInputValue('2026-11-20T09:40:05.000Z'))).toBe('2026-11-20T09:40:05.000Z');
    expect(toInputValue('2026-11-20T09:40:05.900Z')).toMatch(/^2026-11-\d\dT\d\d:\d0:05$/);
    changePreferences({ timeZone: 'Asia/Kolkata' });
    expect(toInputValue('2026-11-20T09:40:05.000Z')).toBe('2026-11-20T15:10:05');
    expect(fromInputValue('2026-11-20T15:10')).toBe('2026-11-20T09:40:00.000Z');
    expect(fromInputValue('')).toBeUndefined();
    expect(fromInputValue('2026-13-77T00:00')).toBeUndefined();
  });
});

describe('the step of the slider', () => {
  const moments = ['2026-11-01T00:00:00.000000+00:00', '2026-11-02T00:00:00.000500+00:00', '2026-11-10T00:00:00Z'];

  it('is now without a moment', () => {
    expect(momentIndex(moments, undefined)).toBe(2);
  });

  it.each([
    ['2026-10-01T00:00:00.000Z', 0],
    ['2026-11-01T12:00:00.000Z', 0],
    ['2026-11-02T00:00:00.000500+00:00', 1],
    ['2026-11-09T23:59:59.000Z', 1],
    // After the newest run nothing changed.
    ['2026-11-20T00:00:00.000Z', 2],
  ])('of %s is the run before it', (at, step) => {
    expect(momentIndex(moments, at)).toBe(step);
  });
});
