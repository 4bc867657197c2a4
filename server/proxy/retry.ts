import type { RetryRules } from '../integrations/catalog/proxy-schema.ts';
import { valueAt } from '../integrations/catalog/template/resolve-template.ts';
import { matchBounded } from '../platform/lib/bounded-match.ts';
import type { OutboundError } from '../platform/lib/outbound-error.ts';

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
