import ms from 'ms';
import type { ProviderEntry } from '../../integrations/catalog/entry-schema.ts';
import { quirkOf } from './provider-quirks/provider-quirks.ts';
import type { StoredCredentials } from './stored-credentials.ts';

/** Numbers above the milliseconds of 1971 are milliseconds, others are seconds (auth-and-connect.md 3.5). */
const YEAR_1971_MS = Date.UTC(1971, 0, 1);
/** The latest time that a Date can hold. */
const LAST_MOMENT_MS = 8_640_000_000_000_000;

/**
 * When a token response expires, in milliseconds since the epoch: `expires_at` before `expires_in`. Undefined when
 * neither is readable, or when the lifetime is zero, which providers send for tokens that do not expire.
 */
export function readExpiry(
  response: { expires_at?: unknown; expires_in?: unknown },
  nowMs: number,
  unit: 'seconds' | 'milliseconds' = 'seconds',
): number | undefined {
  const at = readMoment(response.expires_at, nowMs);
  if (at !== undefined) return at;
  const lifetime = readNumber(response.expires_in);
  if (lifetime === undefined || lifetime <= 0) return undefined;
  return toValidTime(nowMs + lifetime * (unit === 'seconds' ? 1_000 : 1));
}

/**
 * Converts a Date, ISO text, epoch seconds or milliseconds, or a `D:HH:MM` duration from now, to epoch milliseconds;
 * undefined for other values.
 */
export function readMoment(value: unknown, nowMs: number): number | undefined {
  if (value instanceof Date) return toValidTime(value.getTime());
  const number = readNumber(value);
  if (number !== undefined)
    return number > 0 ? toValidTime(number > YEAR_1971_MS ? number : number * 1_000) : undefined;
  if (typeof value !== 'string') return undefined;
  const [, days, hours, minutes] = /^(\d+):(\d{2}):(\d{2})$/.exec(value.trim()) ?? [];
  if (days === undefined) return toValidTime(Date.parse(value));
  return toValidTime(nowMs + ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000);
}

/** Converts a lifetime in seconds, or a duration such as `2h`, to the time when it ends, in epoch milliseconds. */
export function readLifetime(value: unknown, nowMs: number): number | undefined {
  const seconds = readNumber(value);
  if (seconds !== undefined) return readExpiry({ expires_in: seconds }, nowMs);
  if (typeof value !== 'string' || value === '' || value.length > 100) return undefined;
  const durationMs = ms(value as ms.StringValue);
  return durationMs > 0 ? toValidTime(nowMs + durationMs) : undefined;
}

export function toIsoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

function readNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Whole milliseconds; undefined for times that a Date cannot hold. */
function toValidTime(epochMs: number): number | undefined {
  return Math.abs(epochMs) <= LAST_MOMENT_MS ? Math.floor(epochMs) : undefined;
}

/** Facts that decide whether credentials are renewed before they are returned (auth-and-connect.md 4.2). */
export interface RenewalFacts {
  entry: ProviderEntry;
  credentials: StoredCredentials;
  /** `expiryOf` the credentials. The row has it too: reading the date for each call takes long. */
  expiresAt: number | null;
  connectionConfig: Record<string, unknown>;
  isExhausted: boolean;
  /** Milliseconds since the epoch. */
  lastFailureAt: number | null;
  /** When the credentials were stored, by the clock of that time. */
  obtainedAt: number;
  nowMs: number;
  isForced: boolean;
  /** Also checks the JWT of a GitHub app. */
  wantsAppJwt: boolean;
}

/**
 * `none`: use the stored credentials. `ask`: ask the provider when the token ends. `app-jwt`: renew only the JWT of the
 * app.
 */
export type RenewalNeed = 'none' | 'renew' | 'ask' | 'app-jwt' | 'exhausted' | 'backoff';

/** Types that the hub renews (auth-and-connect.md 4.2, step 3); OAUTH2 needs a refresh token for that. */
const RENEWED_TYPES: ReadonlySet<string> = new Set([
  'OAUTH2',
  'APP',
  'OAUTH2_CC',
  'JWT',
  'BILL',
  'TWO_STEP',
  'SIGNATURE',
  'AWS_SIGV4',
]);
const BACKOFF_MS = 30_000;
/** A clock that time servers correct may go back by less than this. */
const MAX_CLOCK_ERROR_MS = 60_000;
const BUFFER_SECONDS = 900;
const GITHUB_APPS: ReadonlySet<string> = new Set(['github-app', 'github-app-oauth']);

/** Whether the hub renews credentials of this type. */
export function isRenewedType(type: string | null | undefined): boolean {
  return type !== null && type !== undefined && RENEWED_TYPES.has(type);
}

/** Whether the hub can renew these credentials. */
export function canRenew(provider: string, credentials: StoredCredentials): boolean {
  if (!isRenewedType(credentials.type)) return false;
  return (
    credentials.type !== 'OAUTH2' ||
    Boolean(credentials['refresh_token']) ||
    quirkOf(provider).needsNoRefreshToken === true
  );
}

/** When the token ends, in milliseconds since the epoch; null when that is not known. */
export function expiryOf({ expires_at: expiresAt }: StoredCredentials): number | null {
  const at = expiresAt === undefined ? Number.NaN : Date.parse(expiresAt);
  return Number.isNaN(at) ? null : at;
}

/** Milliseconds before its end from which a token counts as expired. */
export function expiryBufferMs(entry: ProviderEntry): number {
  return (entry.token_expiration_buffer ?? BUFFER_SECONDS) * 1000;
}

/** The next step for credentials; forced renewals ignore backoff and exhaustion. */
export function findRenewalNeed(facts: RenewalFacts): RenewalNeed {
  const { entry, credentials, isForced } = facts;
  if (!isRenewedType(credentials.type)) return 'none';
  if (!isForced && facts.isExhausted) return 'exhausted';
  if (!isForced && facts.lastFailureAt !== null && isWithin(facts.nowMs - facts.lastFailureAt, BACKOFF_MS))
    return 'backoff';
  if (!canRenew(entry.name, credentials)) return 'none';
  if (isForced) return 'renew';
  return findDue(facts);
}

function findDue(facts: RenewalFacts): RenewalNeed {
  const { entry, credentials, nowMs } = facts;
  const quirk = quirkOf(entry.name);
  const bufferMs = expiryBufferMs(entry);
  // Obtained by a clock that was ahead: the end of the token lies as much too late.
  const isFromWrongClock = facts.obtainedAt > nowMs + MAX_CLOCK_ERROR_MS;
  const isDue = (at: number): boolean => isFromWrongClock || at - nowMs < bufferMs;
  if (quirk.onlyWhenForced) return 'none';
  if (quirk.isDue?.({ connectionConfig: facts.connectionConfig, nowMs, bufferMs })) return 'renew';
  if (entry.token?.singleUse === true && credentials.type === 'JWT') return 'renew';
  if (quirk.findEnd) return 'ask';
  if (facts.expiresAt !== null && isDue(facts.expiresAt)) return 'renew';
  const isJwtDue = facts.wantsAppJwt && GITHUB_APPS.has(entry.name) && isDue(appJwtEnd(facts));
  return isJwtDue ? 'app-jwt' : 'none';
}

/** A time in the future comes from a clock that was wrong. */
function isWithin(agoMs: number, limitMs: number): boolean {
  return agoMs >= 0 && agoMs < limitMs;
}

/** The JWT is among the credentials, or in the configuration of connections that were created elsewhere. */
function appJwtEnd({ credentials, connectionConfig }: RenewalFacts): number {
  const jwt = credentials['jwtToken'] ?? connectionConfig['jwtToken'];
  const payload = typeof jwt === 'string' ? jwt.split('.')[1] : undefined;
  if (payload === undefined) return 0;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : 0;
  } catch {
    return 0; // An unreadable JWT counts as expired, so a new one is issued.
  }
}
