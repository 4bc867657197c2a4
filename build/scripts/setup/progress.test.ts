import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
// @ts-expect-error a plain script without types: it has to run on any Node
import { createProgress } from './progress.mjs';

let written: string;
const progressOn = (isTTY: boolean) =>
  createProgress({ quiet: true, stream: { isTTY, write: (text: string) => (written += text) } });

beforeEach(() => {
  written = '';
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

describe('the progress of set-up', () => {
  it('counts the seconds in one line of a terminal', async () => {
    const step = progressOn(true).step('compiling sqlite3', () => new Promise((end) => setTimeout(end, 500)));
    await vi.advanceTimersByTimeAsync(500);
    await step;

    expect(written.startsWith('\r\x1b[K  compiling sqlite3 … 0.0 s\r\x1b[K  compiling sqlite3 … 0.')).toBe(true);
    expect(written.endsWith('\r\x1b[K  compiling sqlite3: done in 0.5 s\n')).toBe(true);
  });

  it('shows steps that run at the same time in one line of a terminal, not longer than the terminal', async () => {
    const progress = progressOn(true);
    const first = progress.step('compiling sqlite3', () => new Promise((end) => setTimeout(end, 1000)));
    const second = progress.step('building the dashboard', () => new Promise((end) => setTimeout(end, 500)));
    await vi.advanceTimersByTimeAsync(1000);
    await Promise.all([first, second]);

    const lines = written.split('\r\x1b[K');
    expect(lines).toContain('  compiling sqlite3 … 0.3 s, building the dashboard … 0.3 s');
    expect(lines).toContain('  building the dashboard: done in 0.5 s\n');
    expect(lines.at(-1)).toBe('  compiling sqlite3: done in 1.0 s\n');

    written = '';
    await progress.step('a'.repeat(200), () => Promise.resolve());
    expect(written.split('\r\x1b[K')[1]).toHaveLength(79);
  });

  it('reports a long step every fifteen seconds when there is no terminal', async () => {
    const step = progressOn(false).step('compiling sqlite3', () => new Promise((end) => setTimeout(end, 40_000)));
    await vi.advanceTimersByTimeAsync(40_000);
    await step;

    expect(written).toBe(
      [
        '  compiling sqlite3 …',
        '  compiling sqlite3: 15.0 s so far …',
        '  compiling sqlite3: 30.0 s so far …',
        '  compiling sqlite3: done in 40.0 s',
        '',
      ].join('\n'),
    );
  });

  it('says how far a step is', async () => {
    const work = async (show: (text: string) => void) => {
      show('12 % of 110 MB');
      await new Promise((end) => setTimeout(end, 20_000));
    };
    const steps = [false, true].map((isTTY) => progressOn(isTTY).step('fetching', work));
    await vi.advanceTimersByTimeAsync(20_000);
    await Promise.all(steps);

    expect(written).toContain('  fetching: 12 % of 110 MB, 15.0 s so far …\n');
    expect(written).toContain('\r\x1b[K  fetching … 12 % of 110 MB, 0.3 s');
  });

  it('reports nothing about a step after it failed', async () => {
    const step = progressOn(false).step('compiling sqlite3', () => Promise.reject(new Error('no compiler')));
    await expect(step).rejects.toThrow('no compiler');
    await vi.advanceTimersByTimeAsync(60_000);

    expect(written).toBe('  compiling sqlite3 …\n  compiling sqlite3: failed\n');
  });
});
