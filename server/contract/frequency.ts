import ms, { type StringValue } from 'ms';

/**
 * Frequencies of syncs. There are two grammars: that of `createSync` (functions.md 1.6, syncs-and-records.md 1.5), and
 * the narrower one of the override per connection (http-api.md 1.5). Intervals are in milliseconds.
 */
export type FrequencyErrorCode = 'sync_interval_invalid' | 'sync_interval_too_short';
export type FrequencyError = { ok: false; code: FrequencyErrorCode; message: string };
export type ParsedFrequency = { ok: true; intervalMs: number } | FrequencyError;
/**
 * `normalised` is the text that the override route answers: `1h` for `every hour`, `5 minutes` for `every 5 minutes`.
 */
export type ParsedFrequencyOverride = { ok: true; intervalMs: number; normalised: string } | FrequencyError;

export const MIN_FREQUENCY_MS = 30_000;
/** A longer interval is not refused but reduced to a thousand years, because later dates are invalid. */
const MAX_DURATION_MS = 1000 * 365.25 * 24 * 3_600_000;

/** Forms without a number, in the notation of the `ms` package where it has one (it has no month). */
const NAMED_INTERVALS: ReadonlyMap<string, string> = new Map([
  ['quarter hour', '15m'],
  ['half hour', '30m'],
  ['half day', '12h'],
  ['hour', '1h'],
  ['day', '1d'],
  ['week', '1w'],
  ['month', '30d'],
]);

/** `ms` throws for longer texts. */
const MAX_LENGTH = 100;

const COUNTED_INTERVAL =
  /^(?:\d+(?:\.\d+)?|\.\d+) *(?:milliseconds?|msecs?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w|years?|yrs?|y)$/i;

const OVERRIDE =
  /^(?:every )?(?:(?:\d+)?\s?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)|month|half day|half hour|quarter hour)$/;

/** Parses the interval of `createSync.frequency`: `every hour`, `every 5 minutes`, `every 1.5h`, `30m`. */
export function parseFrequency(frequency: string): ParsedFrequency {
  const hasPrefix = frequency.startsWith('every ');
  const interval = withoutPrefix(frequency);
  return toInterval((hasPrefix ? NAMED_INTERVALS.get(interval) : undefined) ?? interval, frequency);
}

/** Parses the interval of an override. Named forms need no prefix here. */
export function parseFrequencyOverride(frequency: string): ParsedFrequencyOverride {
  if (!OVERRIDE.test(frequency)) return invalid(frequency);
  const interval = withoutPrefix(frequency).trim();
  const normalised = NAMED_INTERVALS.get(interval) ?? interval;
  const parsed = toInterval(normalised, frequency);
  return parsed.ok ? { ...parsed, normalised } : parsed;
}

function withoutPrefix(frequency: string): string {
  return frequency.replace(/^every /, '').trimStart();
}

function toInterval(interval: string, frequency: string): ParsedFrequency {
  if (interval.length > MAX_LENGTH || !COUNTED_INTERVAL.test(interval)) return invalid(frequency);
  const intervalMs = ms(interval as StringValue);
  if (!Number.isFinite(intervalMs) || intervalMs === 0) return invalid(frequency);
  if (intervalMs < MIN_FREQUENCY_MS) {
    const message = `The frequency "${frequency}" is too short: the minimum is 30 seconds.`;
    return { ok: false, code: 'sync_interval_too_short', message };
  }
  return { ok: true, intervalMs: Math.min(intervalMs, MAX_DURATION_MS) };
}

function invalid(frequency: string): FrequencyError {
  const message = `The frequency "${frequency}" cannot be read. Write for example "every 5 minutes", "every hour" or "every day".`;
  return { ok: false, code: 'sync_interval_invalid', message };
}
