import type { LogError, Operation } from '../log/operation.ts';
import type { Clock, Timer } from '../platform/lib/clock.ts';

interface SessionOperation {
  /** The operation of the latest attempt, or the one that waits for the first. */
  operation: Operation;
  isEnded: boolean;
  start: () => Operation;
  timer: Timer;
}

/** Limit for followed sessions: each takes about 2 kB until it ends, up to half an hour later. */
export const MAX_FOLLOWED = 5000;

export type SessionOperations = ReturnType<typeof createSessionOperations>;

/**
 * The log operations of sessions. The first one starts with the session. Each ends with its attempt, so that a refusal
 * is in the log at once; an attempt after that gets an operation of its own.
 */
export function createSessionOperations(clock: Clock) {
  const sessions = new Map<string, SessionOperation>();

  function end(lookupHash: string, message: string): void {
    const session = sessions.get(lookupHash);
    sessions.delete(lookupHash);
    session?.timer.cancel();
    if (session && !session.isEnded) session.operation.finish('cancelled', { message });
  }

  function openSession(lookupHash: string): SessionOperation | undefined {
    const session = sessions.get(lookupHash);
    if (!session?.isEnded) return session;
    session.operation = session.start();
    session.isEnded = false;
    return session;
  }

  return {
    end,
    add(lookupHash: string, first: Pick<SessionOperation, 'operation' | 'start'>, lifetimeMs: number): void {
      const timer = clock.after(lifetimeMs, () => end(lookupHash, 'The session expired without a connection.'));
      sessions.set(lookupHash, { ...first, isEnded: false, timer });
      const [oldest] = sessions.keys();
      if (sessions.size > MAX_FOLLOWED && oldest !== undefined)
        end(oldest, `More than ${MAX_FOLLOWED} sessions are open. This one stays valid; the log no longer follows it.`);
    },
    /** The operation that has not ended; started if need be. Undefined when the session is not followed. */
    openId(lookupHash: string): string | undefined {
      return openSession(lookupHash)?.operation.id;
    },
    lastId(lookupHash: string): string | undefined {
      return sessions.get(lookupHash)?.operation.id;
    },
    /** Another attempt of the session may have ended the operation before. */
    succeed(lookupHash: string, message: string): void {
      const open = openSession(lookupHash);
      if (!open) return;
      open.isEnded = true;
      open.operation.finish('success', { message });
    },
    /** A failure is reported by each part that notices it; the first report counts. */
    fail(lookupHash: string, error: LogError): void {
      const session = sessions.get(lookupHash);
      if (!session || session.isEnded) return;
      session.isEnded = true;
      session.operation.finish('failed', { error });
    },
    /** The operations stay open: the next start follows those whose link is still valid. */
    stop(): void {
      for (const { timer } of sessions.values()) timer.cancel();
      sessions.clear();
    },
  };
}
