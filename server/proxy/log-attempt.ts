import type { ResponseTap } from '../log/operation.ts';
import type { OutboundError } from '../platform/lib/outbound-error.ts';
import type { ProxyAttempt, ProxyCall, SendResult } from './proxy-types.ts';
import type { Redactor } from './request-redactor.ts';

interface DescribedAttempt {
  attempt: number;
  request: ProxyAttempt['request'];
  warnings: string[];
  result: SendResult;
  redactor: Redactor;
  durationMs: number;
  retry: { reason: string; waitMs: number } | undefined;
  tap: ResponseTap | undefined;
}

/** Returns what may be shown of an attempt. */
export function describeAttempt({
  attempt,
  durationMs,
  redactor,
  request,
  result,
  retry,
  tap,
  warnings,
}: DescribedAttempt): ProxyAttempt {
  const error: OutboundError | undefined = result.kind === 'network' ? result.error : undefined;
  return {
    attempt,
    request,
    durationMs,
    warnings,
    ...(result.kind === 'response'
      ? { status: result.status, responseHeaders: redactor.responseHeaders(result.headers) }
      : {}),
    ...(error ? { error: { code: error.code, message: error.message } } : {}),
    ...(retry ? { retry } : {}),
    ...(tap ? { recordingId: tap.id } : {}),
  };
}

/** Writes one entry per attempt of a provider request, and one warning per decision to retry (functions.md 3.9). */
export function logAttempt(
  { context, operation }: NonNullable<ProxyCall['log']>,
  attempt: ProxyAttempt,
  maxAttempts: number,
): void {
  const hasFailed = attempt.error !== undefined || (attempt.status ?? 0) >= 400;
  operation.log({
    level: hasFailed ? 'error' : 'info',
    type: 'http',
    context,
    message: `${attempt.request.method} ${attempt.request.url}`,
    durationMs: attempt.durationMs,
    request: attempt.request,
    ...(attempt.recordingId === undefined ? {} : { recordingId: attempt.recordingId }),
    ...(attempt.status === undefined
      ? {}
      : { response: { code: attempt.status, headers: attempt.responseHeaders ?? {} } }),
    ...(attempt.error ? { error: { message: attempt.error.message, type: attempt.error.code } } : {}),
    ...(maxAttempts > 1
      ? { retry: { attempt: attempt.attempt, max: maxAttempts, waitedMs: attempt.retry?.waitMs ?? 0 } }
      : {}),
  });
  for (const warning of attempt.warnings) operation.log({ level: 'warn', context, message: warning });
  if (attempt.retry) {
    operation.log({
      level: 'warn',
      context,
      message: `Trying again in ${attempt.retry.waitMs} ms (${attempt.retry.reason}), attempt ${attempt.attempt} of ${maxAttempts} failed`,
    });
  }
}
