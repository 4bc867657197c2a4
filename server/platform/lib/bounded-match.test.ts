import { describe, expect, it } from 'vitest';
import { isUsablePattern, matchBounded } from './bounded-match.ts';

describe('matchBounded', () => {
  it.each([
    ['^[a-z]+$', 'acme', ['acme']],
    ['^[a-z]+$', 'Acme', undefined],
    ['in (\\d+) ?s(econds)?', 'again in 12 s', ['in 12 s', '12', undefined]],
    ['^a+', 'a'.repeat(5_000), ['a'.repeat(5_000)]],
    ['["\\\\]', 'a "quoted" text', ['"']],
  ])('finds %s', (pattern, text, found) => {
    expect(matchBounded(pattern, text)?.slice()).toEqual(found);
  });

  it.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(.*)*(.*)*(.*)*x$'])(
    'gives up on %s instead of searching for minutes',
    (pattern) => {
      expect(matchBounded(pattern, `${'a'.repeat(39)}!`)).toBeUndefined();
    },
  );
});

describe('isUsablePattern', () => {
  it.each([
    ['^[a-z]+$', true],
    ['(', false],
    ['a?'.repeat(20), true],
    ['a?'.repeat(21), false],
  ])('%s: %s', (pattern, isUsable) => {
    expect(isUsablePattern(pattern)).toBe(isUsable);
  });
});
