import type { ProviderEntry } from '../../integrations/catalog/entry-schema.ts';
import { quirkOf } from './provider-quirks/provider-quirks.ts';
import type { StoredCredentials } from './stored-credentials.ts';

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
  /** When the provider was asked for the credentials, or they were stored, by the clock of that time. */
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
