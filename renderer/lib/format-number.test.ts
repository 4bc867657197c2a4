import { describe, expect, it } from 'vitest';
import { formatBytes } from './format-number.ts';

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
