import { describe, expect, it } from 'vitest';
import { CallWindow } from './call-window.ts';

const MEBIBYTE = 1024 * 1024;

describe('CallWindow', () => {
  it('takes 256 calls, and another once one is answered', () => {
    const window = new CallWindow();
    for (let id = 0; id < 256; id++) expect(window.add(id, 10)).toBe(true);

    expect(window.add(256, 10)).toBe(false);
    window.remove(7);
    expect(window.add(257, 10)).toBe(true);
    expect(window.add(258, 10)).toBe(false);
  });

  it('takes 16 MB at once, or one call that is larger', () => {
    const window = new CallWindow();

    expect([window.add(1, 10 * MEBIBYTE), window.add(2, 7 * MEBIBYTE), window.add(3, 6 * MEBIBYTE)]).toEqual([
      true,
      false,
      true,
    ]);
    window.remove(1);
    window.remove(3);
    expect([window.add(4, 90 * MEBIBYTE), window.add(5, 1)]).toEqual([true, false]);
  });

  it('refuses a second call of the same number', () => {
    const window = new CallWindow();

    expect([window.add(1, 1), window.add(1, 1)]).toEqual([true, false]);
  });
});
