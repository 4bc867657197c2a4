import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';

export interface StopPhase {
  /** Milliseconds since the beginning of the stop. Time that a phase does not use is left to later phases. */
  byMs: number;
  /** Parts that stop at the same time, by name. */
  parts: Record<string, () => unknown>;
}

/**
 * Stops the parts of a program, phase after phase, with one clock. A part that fails or hangs does not prevent the
 * others from stopping. Throws at the end an error that names all failed parts.
 */
export async function stopInPhases(phases: StopPhase[], options: { clock: Clock; logger: Logger }): Promise<void> {
  const { clock, logger } = options;
  const startedAt = clock.now();
  const failed: string[] = [];
  for (const { byMs, parts } of phases) {
    const leftMs = Math.max(0, startedAt + byMs - clock.now());
    const ended = Object.entries(parts).map(async ([name, stop]) => {
      const limit = new AbortController();
      try {
        await Promise.race([
          // Called asynchronously, because a part may throw at once.
          Promise.resolve().then(stop),
          clock.sleep(leftMs, limit.signal).then(() => {
            throw new Error('The part did not stop in time.');
          }),
        ]);
      } catch (error) {
        failed.push(name);
        logger.error({ err: error, part: name }, 'a part of the server did not stop cleanly');
      } finally {
        limit.abort();
      }
    });
    await Promise.all(ended);
  }
  if (failed.length > 0)
    throw new Error(`Not stopped cleanly: ${failed.join(', ')}. The next start repairs what is left.`);
}
