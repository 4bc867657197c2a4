import { NumberIsFinite, toNumber } from '../primordials.ts';
import type { GuestRun, Members } from './guest-run.ts';

/** The lock members of the context (functions.md 3.8). */
export function lockMembers(run: GuestRun): Members {
  return {
    async tryAcquireLock(options: { key: string; ttlMs: number }) {
      const key = checkKey(options);
      const ttlMs = toNumber(options.ttlMs);
      if (!(ttlMs > 0 && NumberIsFinite(ttlMs))) throw new Error('Invalid lock: ttlMs must be greater than 0');
      return run.host.call('lock.acquire', { key, ttlMs });
    },
    async releaseLock(options: { key: string }) {
      return run.host.call('lock.release', { key: checkKey(options) });
    },
    async releaseAllLocks() {
      await run.host.call('lock.releaseAll', {});
    },
  };
}

function checkKey(options: { key: string } | undefined): string {
  const key = options?.key;
  if (typeof key !== 'string' || key.length < 1 || key.length > 255) {
    throw new Error('Invalid lock: the key must have 1 to 255 characters');
  }
  return key;
}
