import { formatBareDay } from './format-time.ts';
import { preferences } from './preferences.ts';
import { clockAt, momentOfClock } from './shown-zone.ts';

/** The period of a list of events. */
export type Period =
  /** A period that ends now and moves with the time. */
  | { kind: 'last'; spanMs: number }
  /** Milliseconds since the epoch; without an end up to now, without a start from the first event on. */
  | { kind: 'range'; from: number | undefined; to: number | undefined }
  | { kind: 'any' };

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const DEFAULT_PERIOD: Period = { kind: 'last', spanMs: DAY };
export const PERIOD_PRESETS: readonly { label: string; spanMs: number }[] = [
  { label: 'Last 5 minutes', spanMs: 5 * MINUTE },
  { label: 'Last 15 minutes', spanMs: 15 * MINUTE },
  { label: 'Last hour', spanMs: HOUR },
  { label: 'Last 24 hours', spanMs: DAY },
  { label: 'Last 3 days', spanMs: 3 * DAY },
  { label: 'Last 7 days', spanMs: 7 * DAY },
  { label: 'Last 14 days', spanMs: 14 * DAY },
];

const PERIOD_TEXT = /^\d*,\d*$/;

const sideOf = (text: string | undefined): number | undefined => (text ? Number(text) : undefined);

/** The period in an address (ui.md 5.3): `period=<from>,<to>` in milliseconds, which moves with the time when `live=true`. */
export function readPeriod(
  period: string | undefined,
  live: string | undefined,
  fallback: Period = DEFAULT_PERIOD,
): Period {
  if (!period || !PERIOD_TEXT.test(period)) return fallback;
  const [from, to] = period.split(',').map(sideOf);
  if (from === undefined && to === undefined) return { kind: 'any' };
  if (live === 'true' && from !== undefined && to !== undefined && to > from)
    return { kind: 'last', spanMs: to - from };
  return { kind: 'range', from, to };
}

/**
 * The `period` of a request for a list. A text of the address that is not a period is passed on: the server refuses it,
 * and the list says so.
 */
export function listPeriodOf(
  text: string | undefined,
  { from, to }: { from: number | undefined; to: number | undefined },
): string | undefined {
  if (text && !PERIOD_TEXT.test(text)) return text;
  return from === undefined && to === undefined ? undefined : `${from ?? ''},${to ?? ''}`;
}

/** The parameters of a period in an address. */
export function writePeriod(
  period: Period,
  nowMs: number,
  fallback: Period = DEFAULT_PERIOD,
): { period: string; live: string } {
  if (JSON.stringify(period) === JSON.stringify(fallback)) return { period: '', live: '' };
  if (period.kind === 'any') return { period: ',', live: '' };
  if (period.kind === 'range') return { period: `${period.from ?? ''},${period.to ?? ''}`, live: 'false' };
  return { period: `${nowMs - period.spanMs},${nowMs}`, live: 'true' };
}

/** Start and end; undefined for an open side. */
export function edgesOf(period: Period, nowMs: number): { from: number | undefined; to: number | undefined } {
  if (period.kind === 'last') return { from: nowMs - period.spanMs, to: undefined };
  return period.kind === 'range' ? { from: period.from, to: period.to } : { from: undefined, to: undefined };
}

/** A window that ends this close to now, as a part of its length, counts as ending now. */
const REACHES_NOW = 0.1;

/** The window before (-1) or after (1); one that would pass now becomes live instead. Undefined when there is none. */
export function shiftPeriod(period: Period, by: 1 | -1, nowMs: number): Period | undefined {
  const { from, to = nowMs } = edgesOf(period, nowMs);
  if (from === undefined || (by === 1 && period.kind === 'last')) return undefined;
  const spanMs = to - from;
  // Now has moved on between going back and going forward.
  if (to + by * spanMs >= nowMs - spanMs * REACHES_NOW) return { kind: 'last', spanMs };
  return { kind: 'range', from: from + by * spanMs, to: to + by * spanMs };
}

const two = (value: number): string => String(value).padStart(2, '0');

function momentText(ms: number, isUtc: boolean): { day: string; clock: string } {
  const date = clockAt(ms, isUtc);
  const seconds = date.getUTCSeconds() === 0 ? '' : `:${two(date.getUTCSeconds())}`;
  const hours = date.getUTCHours();
  const rest = `${two(date.getUTCMinutes())}${seconds}`;
  // The same in every language, in a form that a person can type.
  const clock =
    preferences().hours === 12 ? `${hours % 12 || 12}:${rest} ${hours < 12 ? 'am' : 'pm'}` : `${two(hours)}:${rest}`;
  return { day: formatBareDay(ms, isUtc), clock };
}

export function describePeriod(period: Period, isUtc: boolean): string {
  if (period.kind === 'any') return 'Any time';
  if (period.kind === 'last')
    return PERIOD_PRESETS.find(({ spanMs }) => spanMs === period.spanMs)?.label ?? `Last ${spanText(period.spanMs)}`;
  const from = period.from === undefined ? undefined : momentText(period.from, isUtc);
  const to = period.to === undefined ? undefined : momentText(period.to, isUtc);
  if (!from) return `Until ${to?.day} ${to?.clock}`;
  if (!to) return `Since ${from.day} ${from.clock}`;
  return `${from.day} ${from.clock} – ${to.day === from.day ? '' : `${to.day} `}${to.clock}`;
}

const UNITS: readonly [ms: number, name: string][] = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [SECOND, 'second'],
];

function spanText(ms: number): string {
  const [size, name] = UNITS.find(([unit]) => ms >= unit && ms % unit === 0) ?? [MINUTE, 'minute'];
  const count = Math.max(Math.round(ms / size), 1);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** "UTC+2", "UTC−3:30": the offset of the shown zone. */
export function utcOffsetText(minutesEast: number): string {
  if (minutesEast === 0) return 'UTC';
  const minutes = Math.abs(minutesEast);
  const rest = minutes % 60 === 0 ? '' : `:${two(minutes % 60)}`;
  return `UTC${minutesEast < 0 ? '−' : '+'}${Math.floor(minutes / 60)}${rest}`;
}

const UNIT_OF: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };
const SPAN =
  /^(?:(?:the )?(?:last|past) )?(\d+(?:\.\d+)?)?\s*(s|sec|seconds?|m|min|minutes?|h|hours?|d|days?|w|weeks?)$/;
const CLOCK = String.raw`\d{1,2}(?::\d{2}(?::\d{2})?)?\s?(?:am|pm)?`;
const DATE = String.raw`today|yesterday|\d{4}-\d{1,2}-\d{1,2}`;
const MOMENT = new RegExp(`^(?:(${DATE})(?: at)?)?\\s*(${CLOCK})?$`);
const DAY_CLOCKS = new RegExp(`^(?:(${DATE})\\s+)?(?:from )?(${CLOCK})\\s*(?:-|–|to|until)\\s*(${CLOCK}|now)$`);

/**
 * The period of a typed text: "last 30m", "today 9-11", "yesterday", "2026-11-20 10:00 to 2026-11-21 9:30", "since 8:15",
 * "any time". Undefined when the text is not understood, the period ends before it begins, or a span begins before 1970.
 */
export function parsePeriod(text: string, options: { nowMs: number; isUtc: boolean }): Period | undefined {
  const typed = text.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  if (/^(any ?time|all|all time|everything)$/.test(typed)) return { kind: 'any' };
  const span = SPAN.exec(typed);
  if (span) {
    const spanMs = Number(span[1] ?? 1) * (UNIT_OF[span[2]?.charAt(0) ?? ''] ?? 0);
    return spanMs > 0 && spanMs <= options.nowMs ? { kind: 'last', spanMs } : undefined;
  }
  const since = /^since (.+)$/.exec(typed);
  if (since) {
    const from = momentOf(since[1] ?? '', options)?.at;
    return from === undefined ? undefined : { kind: 'range', from, to: undefined };
  }
  const clocks = DAY_CLOCKS.exec(typed);
  if (clocks) {
    const date = clocks[1] ?? 'today';
    const to = clocks[3] === 'now' ? options.nowMs : momentOf(`${date} ${clocks[3]}`, options)?.at;
    return range(momentOf(`${date} ${clocks[2]}`, options)?.at, to);
  }
  const [first = '', second] = typed.split(/ (?:to|until|–|-) | – /);
  const from = momentOf(first, options);
  if (second !== undefined) return range(from?.at, second === 'now' ? options.nowMs : momentOf(second, options)?.end);
  // A day alone means the whole day.
  return from?.isDay ? range(from.at, from.end) : undefined;
}

function range(from: number | undefined, to: number | undefined): Period | undefined {
  return from === undefined || to === undefined || to <= from ? undefined : { kind: 'range', from, to };
}

/** The moment and, where only a day is named, the end of that day. */
function momentOf(
  text: string,
  { nowMs, isUtc }: { nowMs: number; isUtc: boolean },
): { at: number; end: number; isDay: boolean } | undefined {
  const [, dayText, clockText] = MOMENT.exec(text.trim()) ?? [];
  if (dayText === undefined && clockText === undefined) return undefined;
  const now = clockAt(nowMs, isUtc);
  let parts: [number, number, number] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (dayText === 'yesterday') parts = [parts[0], parts[1], parts[2] - 1];
  else if (dayText !== undefined && dayText !== 'today') {
    const [year = 0, month = 1, date = 1] = dayText.split('-').map(Number);
    parts = [year, month - 1, date];
    const isReal = new Date(Date.UTC(year, month - 1, date)).getUTCMonth() === month - 1;
    if (!isReal) return undefined;
  }
  const clock = clockText === undefined ? [0, 0, 0] : clockOf(clockText);
  if (!clock) return undefined;
  const make = (extraDays: number, [hours = 0, minutes = 0, seconds = 0]: number[]): number =>
    momentOfClock(Date.UTC(parts[0], parts[1], parts[2] + extraDays, hours, minutes, seconds), isUtc);
  const at = make(0, clock);
  const isDay = clockText === undefined;
  return { at, end: isDay ? make(1, [0, 0, 0]) - 1 : at, isDay };
}

function clockOf(text: string): number[] | undefined {
  const half = /(am|pm)$/.exec(text)?.[1];
  const [hours = 0, minutes = 0, seconds = 0] = text
    .replace(/\s?(am|pm)$/, '')
    .split(':')
    .map(Number);
  if (half && (hours < 1 || hours > 12)) return undefined;
  const full = half === 'pm' ? (hours % 12) + 12 : half === 'am' ? hours % 12 : hours;
  const isReal = full <= 24 && minutes < 60 && seconds < 60 && (full < 24 || minutes + seconds === 0);
  return isReal ? [full, minutes, seconds] : undefined;
}
