import type { ErrorCode } from '../../contract/error-codes.ts';
import type { ConnectionRow } from '../../stores/connections-store.ts';

/** Failures on as many days end automatic renewals (auth-and-connect.md 4.6). */
const MOST_ATTEMPTS = 4;

type Counters = Pick<
  ConnectionRow,
  'lastRefreshFailureAt' | 'lastRefreshSuccessAt' | 'refreshAttempts' | 'isRefreshExhausted'
>;

/** A refused re-authorization ends automatic renewals at once. */
export const EXHAUSTED = { refreshAttempts: MOST_ATTEMPTS, isRefreshExhausted: true };

/**
 * The counters after one more failure; only the first of a day counts. A provider that cannot be reached says nothing
 * about the credentials: a computer without a network uses up no attempt.
 */
export function afterFailure(before: Counters, nowMs: number, code: ErrorCode): Counters {
  const { lastRefreshFailureAt: last, refreshAttempts } = before;
  const isCounted =
    code !== 'provider_unreachable' && (last === null || refreshAttempts === 0 || dayOf(last) < dayOf(nowMs));
  const attempts = isCounted ? refreshAttempts + 1 : refreshAttempts;
  return {
    lastRefreshFailureAt: nowMs,
    lastRefreshSuccessAt: null,
    refreshAttempts: attempts,
    isRefreshExhausted: attempts >= MOST_ATTEMPTS,
  };
}

function dayOf(ms: number): number {
  return Math.floor(ms / 86_400_000);
}

/** The counters of credentials that work. */
export function healthy(nowMs: number): Counters {
  return { lastRefreshSuccessAt: nowMs, lastRefreshFailureAt: null, refreshAttempts: 0, isRefreshExhausted: false };
}
