import { describe, expect, it } from 'vitest';
import { contrast, READABLE, readability, readableColour, readHex, textOn } from './contrast.ts';

describe('contrast', () => {
  it('measures as WCAG does', () => {
    expect(contrast('#000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#777777', '#fff')).toBeCloseTo(4.48, 2);
  });

  it('reads two notations and nothing else', () => {
    expect(readHex('#0ad')).toEqual([0, 170, 221]);
    expect(readHex('red; background: url(x)')).toBeUndefined();
    expect(contrast('red', '#fff')).toBe(1);
  });
});

describe('textOn', () => {
  it('takes the one that reads better', () => {
    expect(textOn('#0B6A80')).toBe('#FFFFFF');
    expect(textOn('#00B2E3')).toBe('#12191D');
    expect(textOn('#FFE500')).toBe('#12191D');
  });
});

describe('readableColour', () => {
  it.each([
    ['#FFD54F', '#FFFFFF'],
    ['#1A237E', '#11171B'],
    ['#808080', '#FFFFFF'],
  ])('finds a close one to %s that reads on %s', (colour, surface) => {
    expect(readability(readableColour(colour, surface), surface)).toBeGreaterThanOrEqual(READABLE);
  });

  it('keeps one with enough contrast', () => {
    expect(readableColour('#0B6A80', '#FFFFFF')).toBe('#0B6A80');
  });
});
