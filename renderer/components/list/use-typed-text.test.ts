import { describe, expect, it } from 'vitest';
import { afterReturn } from './use-typed-text.ts';

describe('a text that was typed and sent', () => {
  it('stays when an earlier text comes back late', () => {
    expect(afterReturn(['', 'a', 'ab'], 'a')).toEqual(['a', 'ab']);
    expect(afterReturn(['a', 'ab'], 'ab')).toEqual(['ab']);
  });

  it('gives way to a value that was set elsewhere', () => {
    expect(afterReturn(['ab'], '')).toBeUndefined();
    expect(afterReturn(['', 'a'], 'b')).toBeUndefined();
  });
});
