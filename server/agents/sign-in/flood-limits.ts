import type { Clock } from '../../platform/lib/clock.ts';
import { createMinuteWindows } from '../../platform/lib/minute-windows.ts';
import { OAuthRefusal } from './oauth-refusal.ts';

/**
 * Per minute, at each of both addresses: registrations, metadata documents that are fetched, and requests that are
 * refused. A request that names a known client, code or token is never one too many.
 */
const PER_MINUTE = { register: 40, document: 30, refused: 60 } as const;

export type FloodLimits = ReturnType<typeof createFloodLimits>;

/** Anybody who reaches the sign-in may call it. A flood at the public address refuses nobody on this computer. */
export function createFloodLimits(clock: Clock) {
  const windows = createMinuteWindows(clock);

  return {
    /** Counts one. Throws a refusal that says when again. */
    take(what: keyof typeof PER_MINUTE, { isPublic }: { isPublic: boolean }): void {
      const key = `${what} ${isPublic}`;
      if (windows.used(key) >= PER_MINUTE[what]) throw tooMany(windows.freeInS(key));
      windows.take(key);
    },
  };
}

export function tooMany(retryAfterS: number): OAuthRefusal {
  return new OAuthRefusal(
    'temporarily_unavailable',
    `Too many programs sign in at the same time. Try again in ${retryAfterS} s.`,
    { status: 429, retryAfterS },
  );
}
