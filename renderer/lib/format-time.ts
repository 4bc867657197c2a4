import { formatFixed } from './format-number.ts';
import { preferences } from './preferences.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "42 ms", "7.47 s", "5.0 min", "3 h": one unit, so that columns line up. */
export function formatDuration(ms: number | null): string {
  if (ms === null) return 'n/a';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${formatFixed(ms / 1000, 2)} s`;
  if (ms < MINUTE) return `${formatFixed(ms / 1000, 1)} s`;
  if (ms < HOUR) return `${formatFixed(ms / MINUTE, 1)} min`;
  return `${formatFixed(ms / HOUR, 1)} h`;
}

function distance(ms: number): string {
  if (ms < MINUTE) return `${Math.max(Math.floor(ms / 1000), 1)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/** "4 min ago", "in 41 min", "now"; `bare` omits "ago", for a column whose title says it. */
export function formatRelative(iso: string, nowMs: number, bare = false): string {
  const difference = Date.parse(iso) - nowMs;
  if (Math.abs(difference) < 1000) return 'now';
  if (difference > 0) return `in ${distance(difference)}`;
  return bare ? distance(-difference) : `${distance(-difference)} ago`;
}

const FORMATS = {
  full: { dateStyle: 'medium', timeStyle: 'long' },
  dateTime: { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
  moment: {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  },
  day: { day: '2-digit', month: 'short' },
  bareDay: { day: 'numeric', month: 'short' },
  minutes: { hour: '2-digit', minute: '2-digit' },
  seconds: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
  clock: { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
  date: { year: 'numeric', month: '2-digit', day: '2-digit' },
  wholeDay: { day: 'numeric', month: 'short', year: 'numeric' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** By format, zone, clock and locale: creating a formatter is slow. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** In the zone, clock and locale that the person chose; the defaults are the zone of the computer and the locale of the browser. */
function inZone(
  format: keyof typeof FORMATS,
  date: Date | number,
  { locale = preferences().locale ?? undefined, isUtc = false }: { locale?: string | undefined; isUtc?: boolean } = {},
): string {
  const timeZone = isUtc ? 'UTC' : preferences().timeZone;
  const hourCycle: 'h12' | 'h23' = preferences().hours === 12 ? 'h12' : 'h23';
  const name = `${format} ${timeZone} ${hourCycle} ${locale}`;
  const known = formatters.get(name);
  const showsHours = 'hour' in FORMATS[format] || 'timeStyle' in FORMATS[format];
  const options = { ...FORMATS[format], ...(showsHours && { hourCycle }), ...(timeZone && { timeZone }) } as const;
  const formatter = known ?? new Intl.DateTimeFormat(locale, options);
  if (!known) formatters.set(name, formatter);
  return formatter.format(date);
}

export const formatFull = (iso: string): string => inZone('full', new Date(iso));
/** "13 Nov". */
export const formatDay = (iso: string): string => inZone('day', new Date(iso));
export const formatBareDay = (date: Date | number, isUtc = false): string => inZone('bareDay', date, { isUtc });
/** "28 Nov 2026" of a day without a time, which is the same in each zone. */
export const formatDate = (day: string): string => inZone('wholeDay', new Date(day), { isUtc: true });
/** "10:02". */
export const formatMinutes = (date: Date | number, isUtc = false): string => inZone('minutes', date, { isUtc });
/** "10:02:41". */
export const formatSeconds = (date: Date | number, isUtc = false): string => inZone('seconds', date, { isUtc });
/** "28 Nov 2026, 04:12:33". */
export const formatMoment = (iso: string): string => inZone('moment', new Date(iso));
export const formatDateTime = (iso: string): string => inZone('dateTime', new Date(iso));

/** "10:02:41.118" or "10:02:41.118 am", with the day first when that is not today; in the shown zone unless `isUtc`. */
export function formatClock(iso: string, nowMs: number, withDay = true, isUtc = false): string {
  const date = new Date(iso);
  // The same form in every language, so that columns line up.
  const spelling = { locale: 'en-GB', isUtc };
  const clock = inZone('clock', date, spelling);
  if (!withDay || inZone('date', new Date(nowMs), spelling) === inZone('date', date, spelling)) return clock;
  return `${inZone('day', date, { isUtc })} ${clock}`;
}

/** Width in pixels of a column for `formatClock`, from its width with a 24-hour clock. */
export const clockWidth = (width: number): number => width + (preferences().hours === 12 ? 22 : 0);

/** "10:02", for a time at most a day away. */
export const formatTimeOfDay = (iso: string): string => formatMinutes(new Date(iso));

const FREQUENCY = /^(?:every\s+)?(?:(\d+)\s*)?(second|minute|min|hour|day|week|s|m|h|d|w)s?$/i;
const UNIT_MS: Record<string, number> = { s: 1000, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };

/** An author's frequency in our form: "30min" and "every 30 minutes" become "every 30 min". */
export function formatFrequency(text: string): string {
  const [, count = '1', unit = ''] = FREQUENCY.exec(text.trim()) ?? [];
  const unitMs = UNIT_MS[unit.charAt(0).toLowerCase()];
  if (unitMs !== undefined) return formatInterval(Number(count) * unitMs);
  return text.startsWith('every') ? text : `every ${text}`;
}

/** "every 30 min", "every hour", "every 6 h", "every day". */
export function formatInterval(ms: number): string {
  const minutes = Math.round(ms / MINUTE);
  if (ms < MINUTE) return `every ${Math.round(ms / 1000)} s`;
  if (minutes < 60 || minutes % 60 !== 0) return minutes === 1 ? 'every minute' : `every ${minutes} min`;
  const hours = minutes / 60;
  if (hours < 24 || hours % 24 !== 0) return hours === 1 ? 'every hour' : `every ${hours} h`;
  return hours === 24 ? 'every day' : `every ${hours / 24} days`;
}
