import { describe, expect, it } from 'vitest';
import { datesOfMinutes, isoDateWithOffset } from './dates.ts';

describe('datesOfMinutes', () => {
  it('writes every time as isoDateWithOffset does, also after the clock was set back', () => {
    const dateText = datesOfMinutes();
    const noon = Date.UTC(2026, 1, 28, 12);
    for (const ms of [noon, noon + 7, noon + 59_999, noon + 60_000, noon - 1, noon + 43_200_000, noon, 0, 1, 999])
      expect(dateText(ms)).toBe(isoDateWithOffset(ms));
  });
});
