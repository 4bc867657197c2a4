import type { RetryRules } from '../integrations/catalog/proxy-schema.ts';
import { valueAt } from '../integrations/catalog/template/resolve-template.ts';
import type { ResponseTap } from '../log/operation.ts';
import { matchBounded } from '../platform/lib/bounded-match.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { OutboundError } from '../platform/lib/outbound-error.ts';
import { readStart } from '../platform/lib/outbound-exchange.ts';
import { explainRefusal, type OutboundHttp } from '../platform/lib/outbound-http.ts';
import type { BuiltRequest } from './build-request.ts';
import type { ProxyAttempt, ProxyCall, SendResult } from './proxy-types.ts';
import type { Redactor } from './request-redactor.ts';

/** Size of an error body in which the hint for the next attempt is searched. */
const HINT_BODY_BYTES = 1_048_576;
/** Longest time for recording the body of a response that is followed by another attempt. */
const UNWANTED_BODY_MS = 1_000;

export type BodyStart = Awaited<ReturnType<typeof readStart>>;

/** Sends one built request. A forbidden host is the caller's error, not the network's. */
export async function sendRequest(
  http: Pick<OutboundHttp, 'request'>,
  built: BuiltRequest,
  limits: {
    allowedHosts: readonly string[];
    signal: AbortSignal | undefined;
    silenceMs: number;
    admit: ProxyCall['admit'];
    maxRedirects?: number;
  },
): Promise<SendResult> {
  try {
    const response = await http.request({ ...built, ...limits, keepsHeadersAt: built.isOwn });
    return { kind: 'response', status: response.status, headers: response.headers, response };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.code !== 'ERR_ADDRESS_REFUSED') return { kind: 'network', error };
    throw error.hop === 0
      ? new HomeportError('base_url_override_not_allowed', explainRefusal(error), { cause: error })
      : new HomeportError(
          'proxy_redirect_to_denied_host',
          `The provider redirected to an address that may not be reached. ${error.message}.`,
          { cause: error },
        );
  }
}

/** Returns a function that reads the beginning of a response that is not passed on: once, for all its callers. */
export function onceReadStart(result: SendResult): () => Promise<BodyStart> {
  let read: Promise<BodyStart> | undefined;
  return () => {
    read ??=
      result.kind === 'response'
        ? readStart(result.response.body, HINT_BODY_BYTES)
        : Promise.resolve({ start: Buffer.alloc(0), isCut: false });
    return read;
  };
}

/** Records a response that is followed by another attempt, while that waits. Never rejects. */
export async function recordUnwanted(
  clock: Clock,
  result: SendResult,
  readErrorBody: () => Promise<BodyStart>,
  tap: ResponseTap,
): Promise<void> {
  const limit = clock.after(UNWANTED_BODY_MS, () => {
    if (result.kind === 'response') result.response.body.destroy();
  });
  const { start, isCut } = await readErrorBody();
  limit.cancel();
  tap.take(start);
  tap.end(isCut);
}

type AttemptOutcome =
  | { kind: 'network'; error: OutboundError }
  | { kind: 'response'; status: number; headers: Record<string, string | string[] | undefined> };

export interface RetryContext {
  rules: RetryRules | undefined;
  retryOn: readonly number[];
  /** The credentials are the same as in the previous attempt. */
  areCredentialsUnchanged: boolean;
}

/** Why the attempt should be repeated; undefined when it should not (functions.md 4.5, providers.md 6). */
export function retryReason(outcome: AttemptOutcome, context: RetryContext): string | undefined {
  if (outcome.kind === 'network') return outcome.error.isTransient ? 'network_error' : undefined;
  const { status, headers } = outcome;
  // Refused credentials would only be refused again.
  if (status === 401 && context.areCredentialsUnchanged) return undefined;
  if (isRetryableStatus(status, context.rules?.error_code)) return `status_${status}`;
  if (context.retryOn.includes(status)) return 'retry_on';
  const remaining = context.rules?.remaining;
  return remaining !== undefined && headers[remaining] === '0' ? 'provider_remaining' : undefined;
}

/** The entry's list of codes replaces the default. */
function isRetryableStatus(status: number, codes: string[] | undefined): boolean {
  if (codes) return codes.some((code) => matchesCode(status, code));
  return status >= 500 || status === 429 || status === 401;
}

/** `code` has the form `403`, `5xx` or `500-502`. */
function matchesCode(status: number, code: string): boolean {
  if (code.endsWith('xx')) return String(status).startsWith(code.charAt(0));
  const [from = 0, to = from] = code.split('-').map(Number);
  return status >= from && status <= to;
}

type HeaderNames = string | string[] | undefined;
type Headers = Record<string, string | string[] | undefined>;

const FIRST_WAIT_MS = 3_000;
const MAX_WAIT_MS = 600_000;

export interface WaitInput {
  /** 0 for the wait after the first attempt. */
  attempt: number;
  /** Absent after a network error. */
  headers: Headers | undefined;
  callerHeaders: { at?: HeaderNames; after?: HeaderNames } | undefined;
  rules: RetryRules | undefined;
  /** Reads the error body; called only when the entry looks for its hint there. */
  readBody: () => Promise<string>;
  now: number;
  deadlineMs: number | undefined;
}

/**
 * The wait before the next attempt in milliseconds: from the first hint found (headers that the caller names, headers
 * that the entry names, the error body), else doubled after each attempt.
 */
export async function retryWaitMs(input: WaitInput): Promise<number> {
  const { headers, rules, now } = input;
  const hint =
    (headers && (headerHint(headers, input.callerHeaders, now) ?? headerHint(headers, rules, now))) ??
    (headers && rules?.in_body ? bodyHint(await input.readBody(), rules.in_body, now) : undefined);
  const wait = hint ?? FIRST_WAIT_MS * 2 ** input.attempt;
  const cap = input.deadlineMs === undefined ? MAX_WAIT_MS : Math.max(0, input.deadlineMs - now);
  // Without a hint the wait is limited even inside a long run.
  return Math.min(wait, cap, hint === undefined ? MAX_WAIT_MS : cap);
}

/** `at` takes precedence over `after`; of several headers the longest wait counts. */
function headerHint(
  headers: Headers,
  names: { at?: HeaderNames; after?: HeaderNames } | undefined,
  now: number,
): number | undefined {
  return (
    longest(headers, names?.at, (value) => parseAt(value, now)) ??
    longest(headers, names?.after, (value) => parseAfter(value, now))
  );
}

function longest(
  headers: Headers,
  names: HeaderNames,
  parse: (value: string) => number | undefined,
): number | undefined {
  const waits = [names ?? []]
    .flat()
    .flatMap((name) => [headers[name.toLowerCase()] ?? []].flat().map(parse))
    .filter((wait) => wait !== undefined);
  return waits.length > 0 ? Math.max(...waits) : undefined;
}

/** Numbers that are dates after 1971 when read as milliseconds are milliseconds, others are seconds. */
const MIN_EPOCH_MS = Date.UTC(1972, 0, 1);

/** Epoch seconds, epoch milliseconds or a date; a past time is not a hint. */
function parseAt(value: string, now: number): number | undefined {
  const number = Number(value);
  const isNumber = value.trim() !== '' && Number.isFinite(number);
  const at = isNumber ? (number >= MIN_EPOCH_MS ? number : number * 1000) : Date.parse(value);
  return at > now ? at - now : undefined;
}

/** Seconds, or an HTTP date. */
function parseAfter(value: string, now: number): number | undefined {
  const seconds = Number(value);
  if (value.trim() !== '' && Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  return /[a-z]{3},? /i.test(value) ? parseAt(value, now) : undefined;
}

/** Characters of the text in which the hint is searched. */
const MAX_HINT_LENGTH = 10_000;

function bodyHint(body: string, rule: NonNullable<RetryRules['in_body']>, now: number): number | undefined {
  const text = textAt(body, rule.path)?.slice(0, MAX_HINT_LENGTH);
  if (text === undefined) return undefined;
  // Entries copied from elsewhere have slashes around the expression.
  const pattern = rule.value?.replace(/^\/(.*)\/$/s, '$1');
  const value = pattern === undefined ? text : matchBounded(pattern, text)?.[1];
  if (value === undefined) return undefined;
  return rule.strategy === 'at' ? parseAt(value, now) : parseAfter(value, now);
}

function textAt(body: string, path: string): string | undefined {
  try {
    const value = valueAt(JSON.parse(body), path);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  } catch {
    return undefined; // The error body is not JSON.
  }
}

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
