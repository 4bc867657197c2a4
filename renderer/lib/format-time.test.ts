import { describe, expect, it } from 'vitest';
import { formatDuration, formatRelative } from './format-time.ts';

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
