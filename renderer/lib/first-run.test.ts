import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { changeFirstRun, readFirstRun, stepAfter, stepBefore, stepOf } from './first-run.ts';

describe('the first run', () => {
  beforeEach(() => {
    const kept = new Map<string, string>();
    vi.stubGlobal('localStorage', {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => kept.set(name, value),
    });
  });
  afterEach(() => vi.unstubAllGlobals());

  it('is kept for each environment, and is nothing before it was opened', () => {
    changeFirstRun('dev', { step: 'call', isOpen: true });
    changeFirstRun('dev', { done: ['connect'] });

    expect(readFirstRun('dev')).toMatchObject({ step: 'call', isOpen: true, done: ['connect'], way: 'practice' });
    expect(readFirstRun('prod')).toBeUndefined();
  });

  it('has a step before and after it, and other texts are not steps', () => {
    expect([stepBefore('welcome'), stepAfter('welcome')]).toEqual([undefined, 'choose']);
    expect([stepBefore('finish'), stepAfter('finish')]).toEqual(['sync', undefined]);
    expect([stepOf('sync'), stepOf('elsewhere'), stepOf(undefined)]).toEqual(['sync', undefined, undefined]);
  });
});
