import { describe, expect, it } from 'vitest';
import { contrastWithWhite, drawBrandIcon } from './brand-icon.ts';

describe('drawBrandIcon', () => {
  it.each([
    ['181717', '#fff'],
    ['5E6AD2', '#fff'],
    ['FFE01B', '#16181d'],
    ['FFFFFF', '#16181d'],
  ])('draws a visible sign on %s: %s', (hex, sign) => {
    expect(drawBrandIcon('M0 0h24', hex)).toContain(`fill="${sign}" d="M0 0h24"`);
  });

  it('knows the contrast of black and of white', () => {
    expect([contrastWithWhite('000000'), contrastWithWhite('ffffff')]).toEqual([21, 1]);
  });
});
