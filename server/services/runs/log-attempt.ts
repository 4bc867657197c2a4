import type { LogMessage, Operation } from '../logs/operation.ts';
import type { ProxyAttempt } from '../proxy/proxy-service.ts';

/** One entry per attempt of a provider request, and one warning per decision to try again (functions.md 3.9). */
export function logAttempt(
  operation: Operation,
  attempt: ProxyAttempt,
  mostAttempts: number,
  context: NonNullable<LogMessage['context']>,
): void {
  const hasFailed = attempt.error !== undefined || (attempt.status ?? 0) >= 400;
  operation.log({
    level: hasFailed ? 'error' : 'info',
    type: 'http',
    context,
    message: `${attempt.request.method} ${attempt.request.url}`,
    durationMs: attempt.durationMs,
    request: attempt.request,
    ...(attempt.status === undefined
      ? {}
      : { response: { code: attempt.status, headers: attempt.responseHeaders ?? {} } }),
    ...(attempt.error ? { error: { message: attempt.error.message, type: attempt.error.code } } : {}),
    ...(mostAttempts > 1
      ? { retry: { attempt: attempt.attempt, max: mostAttempts, waitedMs: attempt.retry?.waitMs ?? 0 } }
      : {}),
  });
  for (const warning of attempt.warnings) operation.log({ level: 'warn', context, message: warning });
  if (attempt.retry) {
    operation.log({
      level: 'warn',
      context,
      message: `Trying again in ${attempt.retry.waitMs} ms (${attempt.retry.reason}), attempt ${attempt.attempt} of ${mostAttempts} failed`,
    });
  }
}
