import { describe, expect, it } from 'vitest';
import { searchTerms } from './search-terms.ts';

describe('searchTerms', () => {
  it('lets words go on and keeps quoted words together', () => {
    expect(searchTerms('rate "too many requests" id')).toEqual(['"rate"*', '"too many requests"', '"id"']);
  });

  it('is undefined when nothing can be searched', () => {
    expect([searchTerms(undefined), searchTerms('  '), searchTerms('-- "" *')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('keeps the operators of the index out of reach', () => {
    expect(searchTerms('text:a* NOT "x')).toEqual(['"text:a*"*', '"NOT"*', '"x"']);
  });
});
