const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "42 ms", "7.47 s", "5.0 min", "3 h": one unit, so that columns line up. */
export function formatDuration(ms: number | null): string {
  if (ms === null) return 'n/a';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(2)} s`;
  if (ms < MINUTE) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < HOUR) return `${(ms / MINUTE).toFixed(1)} min`;
  return `${(ms / HOUR).toFixed(1)} h`;
}

function distance(ms: number): string {
  if (ms < MINUTE) return `${Math.max(Math.floor(ms / 1000), 1)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/** "4 min ago", "in 41 min", "now"; `bare` leaves "ago" out for a column headed by it. */
export function formatRelative(iso: string, nowMs: number, bare = false): string {
  const difference = Date.parse(iso) - nowMs;
  if (Math.abs(difference) < 1000) return 'now';
  if (difference > 0) return `in ${distance(difference)}`;
  return bare ? distance(-difference) : `${distance(-difference)} ago`;
}

const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const dateTime = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const dayTime = new Intl.DateTimeFormat(undefined, { day: '2-digit', month: 'short' });

export const formatFull = (iso: string): string => full.format(new Date(iso));
/** "13 Nov". */
export const formatDay = (iso: string): string => dayTime.format(new Date(iso));
export const formatDateTime = (iso: string): string => dateTime.format(new Date(iso));

const two = (value: number, length = 2): string => String(value).padStart(length, '0');

/** "10:02:41.118", with the day before it when that is not today. */
export function formatClock(iso: string, nowMs: number, withDay = true): string {
  const date = new Date(iso);
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${two(date.getMilliseconds(), 3)}`;
  if (!withDay || new Date(nowMs).toDateString() === date.toDateString()) return clock;
  return `${dayTime.format(date)} ${clock}`;
}

/** "every 30min" → "every 30 min". */
export const formatFrequency = (text: string): string => text.replace(/(\d)([a-z])/, '$1 $2');
