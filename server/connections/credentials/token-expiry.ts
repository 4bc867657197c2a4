import ms from 'ms';

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
