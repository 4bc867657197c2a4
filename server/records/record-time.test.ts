import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMicros, parseMicros } from './record-time.ts';

describe('record times', () => {
  it('keep microseconds, always with six digits', () => {
    expect(formatMicros(1_695_050_141_049_460)).toBe('2023-09-18T15:15:41.049460+00:00');
    expect(formatMicros(0)).toBe('1970-01-01T00:00:00.000000+00:00');
  });

  it.each([
    ['2023-09-18T15:15:41.04946+00:00', 1_695_050_141_049_460],
    ['2023-09-18T15:15:41Z', 1_695_050_141_000_000],
    ['2023-09-18T17:15:41.5+02:00', 1_695_050_141_500_000],
    ['2023-09-18T15:15:41.1234567Z', 1_695_050_141_123_456],
  ])('reads %s', (text, micros) => {
    expect(parseMicros(text)).toBe(micros);
  });

  it.each(['2023-09-18', '2023-09-18T15:15:41', 'yesterday', '2023-13-18T15:15:41Z', ''])('refuses "%s"', (text) => {
    expect(parseMicros(text)).toBeUndefined();
  });

  it('read what they wrote, and sort as text like the moments they name', () => {
    const micros = fc.integer({ min: 0, max: 4_000_000_000_000_000 });
    fc.assert(
      fc.property(micros, micros, (a, b) => {
        expect(parseMicros(formatMicros(a))).toBe(a);
        expect(formatMicros(a) < formatMicros(b)).toBe(a < b);
      }),
    );
  });
});
