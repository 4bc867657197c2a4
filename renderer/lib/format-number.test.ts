import { afterEach, describe, expect, it } from 'vitest';
import {
  alignDecimals,
  countDecimals,
  formatBytes,
  formatFixed,
  formatNumber,
  formatRounded,
} from './format-number.ts';
import { formatDuration } from './format-time.ts';
import { changePreferences } from './preferences.ts';

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [4096, '4.1 kB'],
    [65_536, '66 kB'],
    [1_500_000, '1.5 MB'],
    [75_000_000, '75 MB'],
    [4_200_000_000, '4.2 GB'],
  ])('%i', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});

describe('alignDecimals', () => {
  it('shows every decimal, and fills up with spaces as wide as what is missing', () => {
    expect([12, 1.5, 0.000012].map(countDecimals)).toEqual([0, 1, 6]);
    expect(alignDecimals(0.000012, 6)).toBe('0.000012');
    expect(alignDecimals(1234.5, 2)).toBe('1,234.5\u2007');
    expect(alignDecimals(12, 2)).toBe('12\u2008\u2007\u2007');
    expect(alignDecimals(12, 0)).toBe('12');
  });
});

describe('the notation', () => {
  afterEach(() => changePreferences({ locale: null }));

  it('is the same for counts, sizes, durations and shares', () => {
    changePreferences({ locale: 'de' });

    expect([formatNumber(1234), formatBytes(4096), formatDuration(7470), formatDuration(90_000)]).toEqual([
      '1.234',
      '4,1 kB',
      '7,47 s',
      '1,5 min',
    ]);
    expect([formatFixed(2, 1), formatRounded(98.25, 1), formatRounded(3, 1)]).toEqual(['2,0', '98,3', '3']);
  });
});
