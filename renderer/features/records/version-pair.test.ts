import { describe, expect, it } from 'vitest';
import { pairOf, toggleVersion } from './version-pair.ts';

describe('the versions to compare', () => {
  it('are two at most, the last that were ticked', () => {
    expect(toggleVersion(['3', '2'], '1')).toEqual(['2', '1']);
    expect(toggleVersion(['3', '2'], '3')).toEqual(['2']);
    expect(toggleVersion([], '3')).toEqual(['3']);
  });

  it('are put in order', () => {
    expect(pairOf(['3', '2'])).toEqual({ from: '2', to: '3' });
    expect(pairOf(['3'])).toBeUndefined();
  });
});
