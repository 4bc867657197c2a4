import { CliFailure, EXIT } from './cli-failure.ts';

/** Resolves to the result of `work`. Ctrl-C ends the command at once; the caller stops the work itself. */
export async function untilStopped<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(new CliFailure('Stopped.', EXIT.interrupted));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
