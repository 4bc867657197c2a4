import { describe, expect, it } from 'vitest';
import { readExpiry, readLifetime, readMoment } from './token-expiry.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const HOUR = 3_600_000;

describe('readMoment', () => {
  it.each([
    ['a Date', new Date(NOW), NOW],
    ['ISO text', '2026-06-01T12:00:00Z', NOW],
    ['ISO text with an offset', '2026-06-01T14:00:00+02:00', NOW],
    ['epoch seconds', NOW / 1_000, NOW],
    ['epoch milliseconds', NOW, NOW],
    ['epoch seconds as text', String(NOW / 1_000), NOW],
    ['the last second that is seconds', 31_536_000_000, 31_536_000_000_000],
    ['the first millisecond that is milliseconds', 31_536_000_001, 31_536_000_001],
    ['a duration', '1:02:30', NOW + 26.5 * HOUR],
    ['a duration of many days', '365:00:00', NOW + 365 * 24 * HOUR],
  ])('reads %s', (_name, value, expected) => {
    expect(readMoment(value, NOW)).toBe(expected);
  });

  it.each([undefined, null, '', 'soon', true, {}, Number.NaN, 0, -5, 9e18, new Date(Number.NaN)])(
    'finds none in %s',
    (value) => {
      expect(readMoment(value, NOW)).toBeUndefined();
    },
  );
});

describe('readExpiry', () => {
  it.each([
    [{ expires_in: 3_600 }, NOW + HOUR],
    [{ expires_in: '3600' }, NOW + HOUR],
    [{ expires_in: 1.5 }, NOW + 1_500],
    [{ expires_at: '2026-06-01T13:00:00Z', expires_in: 5 }, NOW + HOUR],
    [{ expires_at: 'unreadable', expires_in: 3_600 }, NOW + HOUR],
    [{ expires_in: 0 }, undefined],
    [{ expires_in: -1 }, undefined],
    [{ expires_in: 'never' }, undefined],
    [{ expires_in: 1e300 }, undefined],
    [{}, undefined],
  ])('reads %j', (response, expected) => {
    expect(readExpiry(response, NOW)).toBe(expected);
  });

  it('counts in milliseconds where the entry says so', () => {
    expect(readExpiry({ expires_in: 3_600_000 }, NOW, 'milliseconds')).toBe(NOW + HOUR);
  });
});

describe('readLifetime', () => {
  it.each([
    [3_600, NOW + HOUR],
    ['3600', NOW + HOUR],
    ['2h', NOW + 2 * HOUR],
    ['1 day', NOW + 24 * HOUR],
    ['soon', undefined],
    ['', undefined],
    ['9'.repeat(200), undefined],
    [null, undefined],
    [0, undefined],
  ])('reads %j', (value, expected) => {
    expect(readLifetime(value, NOW)).toBe(expected);
  });
});
