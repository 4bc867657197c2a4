import type { Request, RequestHandler, Response } from 'express';
import type { Clock } from '../platform/lib/clock.ts';
import { accessOf } from './authorization/practice-authorization.ts';
import { PracticeError } from './practice-error.ts';

const MAX_DELAY_MS = 60_000;
const FAIL_PATTERN = /^(drop|[45]\d\d)(?:,(\d+))?$/;
const STATUSES_WITH_RETRY_AFTER = [429, 503];

interface Fault {
  kind: 'drop' | number;
  /** Number of failures before a success; missing means that every request fails. */
  times: number | undefined;
}

/**
 * Errors, delays and broken connections on request, by header `x-practice-…` or query `practice_…`: `fail: <status or
 * drop>[,<times>]` (per key or token and path), `retry-after: <s>`, `delay-ms: <ms>`. They also work on `/oauth/token`
 * and the OAuth 1.0a token addresses.
 */
export function practiceFaults(clock: Clock): RequestHandler {
  const failures = new Map<string, number>();
  return async (request, response, next) => {
    if (!(await waitAsAsked(clock, request, response))) return;
    const fault = readFault(request);
    if (!fault || !isDue(failures, fault, request, response)) return next();
    if (fault.kind === 'drop') {
      request.socket.destroy();
      return;
    }
    if (STATUSES_WITH_RETRY_AFTER.includes(fault.kind))
      response.set('retry-after', wish(request, 'retry-after') ?? '1');
    throw new PracticeError(fault.kind, 'practice_fault', `The request asked for status ${fault.kind}.`);
  };
}

/** Resolves to false when the caller has disconnected meanwhile. */
async function waitAsAsked(clock: Clock, request: Request, response: Response): Promise<boolean> {
  const delayMs = Number(wish(request, 'delay-ms') ?? 0);
  if (!(delayMs > 0)) return true;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return clock.sleep(Math.min(delayMs, MAX_DELAY_MS), gone.signal).then(
    () => true,
    () => false,
  );
}

function readFault(request: Request): Fault | undefined {
  const text = wish(request, 'fail');
  if (text === undefined) return undefined;
  const match = FAIL_PATTERN.exec(text.trim());
  if (!match) throw new PracticeError(400, 'invalid_fault', 'Write x-practice-fail as <status or drop>[,<times>].');
  return {
    kind: match[1] === 'drop' ? 'drop' : Number(match[1]),
    times: match[2] === undefined ? undefined : Number(match[2]),
  };
}

/**
 * Counts per method, path, and key or token (at the token endpoints: over all callers). The success at the end of a
 * series resets the count.
 */
function isDue(failures: Map<string, number>, fault: Fault, request: Request, response: Response): boolean {
  if (fault.times === undefined) return true;
  const series = [accessOf(response)?.credential, request.method, request.path, fault.kind].join(' ');
  const failed = failures.get(series) ?? 0;
  if (failed < fault.times) {
    failures.set(series, failed + 1);
    return true;
  }
  failures.delete(series);
  return false;
}

function wish(request: Request, name: string): string | undefined {
  const inQuery = request.query[`practice_${name.replaceAll('-', '_')}`];
  return request.get(`x-practice-${name}`) ?? (typeof inQuery === 'string' ? inQuery : undefined);
}
