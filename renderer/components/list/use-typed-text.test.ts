import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TypedText } from './use-typed-text.ts';

describe('a text that was typed and sent', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is sent once, a quarter of a second after the last key', () => {
    const sent: string[] = [];
    const typed = new TypedText('', (text) => sent.push(text));
    typed.sendLater('a');
    vi.advanceTimersByTime(249);
    typed.sendLater('ab');
    vi.advanceTimersByTime(250);
    typed.sendNow('ab');
    expect(sent).toEqual(['ab']);
  });

  it('stays when an earlier text comes back late', () => {
    const typed = new TypedText('', () => {});
    for (const text of ['a', 'ab', 'abc']) typed.sendNow(text);
    expect(['a', 'abc'].map((value) => typed.receive(value))).toEqual([false, false]);
  });

  it('is replaced by a value that was set elsewhere, and not sent after it', () => {
    const sent: string[] = [];
    const typed = new TypedText('503', (text) => sent.push(text));
    typed.sendLater('503');
    expect(typed.receive('state:failed')).toBe(true);
    vi.advanceTimersByTime(1000);
    expect(sent).toEqual([]);
    expect(typed.receive('503')).toBe(true);
  });
});
