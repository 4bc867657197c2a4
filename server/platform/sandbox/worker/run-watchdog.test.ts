import type ivm from 'isolated-vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RunWatchdog } from './run-watchdog.ts';

describe('RunWatchdog', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('wakes an isolate that works, and one that waits only to show that it is alive', async () => {
    const isolate = { cpuTime: 0n, isDisposed: false };
    const seen = { pings: 0, signs: 0 };
    const watchdog = new RunWatchdog({
      isolate: isolate as ivm.Isolate,
      timeoutMs: 3_600_000,
      sliceMs: 60_000,
      aliveEveryMs: 10_000,
      ping: async () => {
        seen.pings++;
        isolate.cpuTime += 1000n;
      },
      onTimeout: () => expect.unreachable(),
      onMemory: () => expect.unreachable(),
      onAlive: () => seen.signs++,
      onCheck: () => {},
    });

    await vi.advanceTimersByTimeAsync(9000);
    expect(seen).toEqual({ pings: 0, signs: 0 });
    await vi.advanceTimersByTimeAsync(52_000);
    expect(seen).toEqual({ pings: 6, signs: 6 });
    isolate.cpuTime += 1_000_000n;
    await vi.advanceTimersByTimeAsync(1000);
    watchdog.stop();

    expect(seen).toEqual({ pings: 7, signs: 6 });
  });
});
