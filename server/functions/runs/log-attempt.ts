import type { LogMessage, Operation } from '../../log/operation.ts';
import type { ProxyAttempt } from '../../proxy/proxy.service.ts';

/** Writes one entry per attempt of a provider request, and one warning per decision to retry (functions.md 3.9). */
export function logAttempt(
  operation: Operation,
  attempt: ProxyAttempt,
  maxAttempts: number,
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

/** The changes that one call of a function made to its records. */
export interface RecordsChange {
  model: string;
  /** Counts; a call that deleted unseen records also has their ids. */
  result: { added?: number; updated?: number; deleted?: number; unchanged?: number; deletedKeys?: string[] };
  durationMs: number;
}

/** Writes one entry per call that saved, updated or deleted records. The log adds up the counts of an operation. */
export function logRecordChange(operation: Operation, { model, result, durationMs }: RecordsChange): void {
  const { added = 0, updated = 0, unchanged = 0, deletedKeys = [] } = result;
  const deleted = result.deleted ?? deletedKeys.length;
  const parts = Object.entries({ added, updated, deleted, unchanged }).flatMap(([name, count]) =>
    count > 0 ? [`${count} ${name}`] : [],
  );
  if (parts.length === 0) return;
  operation.log({
    level: 'info',
    context: 'script',
    message: `Records of ${model}: ${parts.join(', ')}`,
    durationMs,
    persistResults: { model, added, updated, deleted, unchanged },
  });
}
