import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changePreferences } from './preferences.ts';
import {
  clockAt,
  fromInputValue,
  momentOfClock,
  readTime,
  shownTimeZone,
  toInputValue,
  zoneOffsetMinutes,
} from './shown-zone.ts';

afterEach(() => changePreferences({ timeZone: null }));

describe('the shown zone', () => {
  it('is the one that a person chose, or UTC where that is asked for', () => {
    changePreferences({ timeZone: 'Asia/Kolkata' });

    expect([shownTimeZone(), shownTimeZone(true)]).toEqual(['Asia/Kolkata', 'UTC']);
    expect(zoneOffsetMinutes(new Date('2026-06-01T00:00:00Z'))).toBe(330);
    expect(zoneOffsetMinutes(new Date('2026-06-01T00:00:00Z'), true)).toBe(0);
    changePreferences({ timeZone: 'America/New_York' });
    expect(zoneOffsetMinutes(new Date('2026-06-01T00:00:00Z'))).toBe(-240);
    changePreferences({ timeZone: 'UTC' });
    expect(zoneOffsetMinutes()).toBe(0);
  });

  it('is the zone of the computer unless one is chosen', () => {
    expect(shownTimeZone()).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
  });
});

describe('clocks of the shown zone', () => {
  beforeEach(() => changePreferences({ timeZone: 'America/New_York' }));

  it('show a moment, and give it back', () => {
    const moment = Date.parse('2026-07-04T16:30:15Z');

    expect(clockAt(moment).toISOString()).toBe('2026-07-04T12:30:15.000Z');
    expect(momentOfClock(clockAt(moment).getTime())).toBe(moment);
  });

  it.each([
    ['midnight before clocks go forward', '2026-03-08T00:00:00Z', '2026-03-08T05:00:00.000Z'],
    ['midnight after it', '2026-03-09T00:00:00Z', '2026-03-09T04:00:00.000Z'],
    ['a minute that is skipped', '2026-03-08T02:30:00Z', '2026-03-08T07:30:00.000Z'],
    ['a minute that comes twice', '2026-11-01T01:30:00Z', '2026-11-01T05:30:00.000Z'],
    ['midnight after clocks went back', '2026-11-02T00:00:00Z', '2026-11-02T05:00:00.000Z'],
  ])('give the moment of %s', (_what, shown, moment) => {
    expect(new Date(momentOfClock(Date.parse(shown))).toISOString()).toBe(moment);
  });
});

describe('a typed time', () => {
  beforeEach(() => changePreferences({ timeZone: 'Asia/Kolkata' }));

  it('is one of the shown zone, as it is shown again', () => {
    expect(fromInputValue('2026-11-28T12:00')).toBe('2026-11-28T06:30:00.000Z');
    expect(toInputValue('2026-11-28T06:30:00.000Z')).toBe('2026-11-28T12:00:00');
  });

  it.each([
    ['2026-11-28T12:00', '2026-11-28T06:30:00.000Z'],
    ['2026-11-28 12:00:30', '2026-11-28T06:30:30.000Z'],
    ['2026-11-28', '2026-11-27T18:30:00.000Z'],
    ['28 Nov 2026 12:00', '2026-11-28T06:30:00.000Z'],
    ['2026-11-28T12:00Z', '2026-11-28T12:00:00.000Z'],
    ['2026-11-28T12:00:00+01:00', '2026-11-28T11:00:00.000Z'],
    ['Sat, 28 Nov 2026 12:00:00 GMT', '2026-11-28T12:00:00.000Z'],
  ])('in a text is in the zone that it names, otherwise in the shown one: %s', (text, moment) => {
    expect(readTime(text)).toBe(moment);
  });

  it.each(['', 'soon', '2026-13-40', '2026-11-28T99:00'])('is none: %s', (text) => {
    expect(readTime(text)).toBeUndefined();
  });
});
