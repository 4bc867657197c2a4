import { describe, expect, it } from 'vitest';
import { untilStopped } from './until-stopped.ts';

describe('work that may be stopped', () => {
  it('returns its own result when it is not stopped', async () => {
    const { signal } = new AbortController();

    expect(await untilStopped(signal, Promise.resolve(1))).toBe(1);
    await expect(untilStopped(signal, Promise.reject(new Error('own')))).rejects.toThrow('own');
  });

  it('ends with 130 when it is stopped, before or meanwhile', async () => {
    const stopping = new AbortController();
    const waiting = untilStopped(stopping.signal, new Promise(() => {}));
    stopping.abort();

    await expect(waiting).rejects.toMatchObject({ status: 130 });
    await expect(untilStopped(stopping.signal, new Promise(() => {}))).rejects.toMatchObject({ status: 130 });
  });
});
