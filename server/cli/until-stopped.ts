import { CliFailure, EXIT } from './cli-failure.ts';

/** The outcome of `work`; ends the command instead when Ctrl-C comes first. What is under way is for the caller to stop. */
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
