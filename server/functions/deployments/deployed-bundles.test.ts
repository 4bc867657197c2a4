import { describe, expect, it } from 'vitest';
import { nextVersion } from './deployed-bundles.ts';

describe('the next version', () => {
  it.each([
    [null, '1'],
    ['', '1'],
    ['1', '2'],
    ['9', '10'],
    ['1.2.3', '1.2.4'],
    ['v9', 'v10'],
    ['20261121000000000009', '20261121000000000010'],
    ['beta', '1'],
  ])('after %s is %s', (previous, next) => {
    expect(nextVersion(previous)).toBe(next);
  });
});
