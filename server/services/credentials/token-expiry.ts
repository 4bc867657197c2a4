/** Numbers above this are milliseconds: as milliseconds it is early 1971, as seconds far in the future. */
const FIRST_MILLISECOND_STAMP = 31_536_000_000;
const DAY_MS = 86_400_000;
const LAST_DATE_MS = 8_640_000_000_000_000;

/**
 * When a token of an answer expires, in ISO 8601: from `expires_at` (ISO text, epoch seconds or milliseconds, or a
 * duration `D:HH:MM`), else from `expires_in` seconds; undefined when neither can be read (providers.md 2.2).
 */
export function readExpiry(
  answer: { expires_at?: unknown; expires_in?: unknown },
  nowMs: number,
  unit: 'seconds' | 'milliseconds' = 'seconds',
): string | undefined {
  return toIso(readInstant(answer.expires_at, nowMs) ?? readLifetime(answer.expires_in, nowMs, unit));
}

function readInstant(value: unknown, nowMs: number): number | undefined {
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'number') return value > FIRST_MILLISECOND_STAMP ? value : value * 1000;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return readInstant(Number(value), nowMs);
  const duration = /^(\d+):(\d{2}):(\d{2})$/.exec(value);
  if (duration) {
    const [, days, hours, minutes] = duration.map(Number);
    return nowMs + (days ?? 0) * DAY_MS + ((hours ?? 0) * 60 + (minutes ?? 0)) * 60_000;
  }
  return Date.parse(value);
}

function readLifetime(value: unknown, nowMs: number, unit: 'seconds' | 'milliseconds'): number | undefined {
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof amount !== 'number') return undefined;
  return nowMs + (unit === 'seconds' ? amount * 1000 : amount);
}

function toIso(ms: number | undefined): string | undefined {
  return ms === undefined || !(Math.abs(ms) <= LAST_DATE_MS) ? undefined : new Date(ms).toISOString();
}
