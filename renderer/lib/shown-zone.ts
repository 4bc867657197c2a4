import { preferences } from './preferences.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** IANA name of the zone in which times are shown: the chosen one, otherwise the computer's. */
export function shownTimeZone(isUtc = false): string {
  return isUtc ? 'UTC' : (preferences().timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
}

/** Offset of the shown zone from UTC at a moment, in minutes; negative in the west. */
export function zoneOffsetMinutes(date = new Date(), isUtc = false): number {
  const { timeZone } = preferences();
  if (isUtc) return 0;
  if (timeZone === null) return -date.getTimezoneOffset();
  // "GMT+05:30", or "GMT" for no offset.
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' }).formatToParts(date);
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d+):(\d+)/.exec(offset) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** A date whose UTC fields are the local time of the shown zone at a moment (milliseconds since the epoch). */
export function clockAt(ms: number, isUtc = false): Date {
  return new Date(ms + zoneOffsetMinutes(new Date(ms), isUtc) * MINUTE_MS);
}

/**
 * The moment with the local time `shownMs` in the shown zone; `shownMs` encodes the local time as if it were UTC. The
 * first one where an hour occurs twice; where an hour is skipped, as if the clocks had not changed yet.
 */
export function momentOfClock(shownMs: number, isUtc = false): number {
  const [before = shownMs, after = shownMs] = [-DAY_MS, DAY_MS].map(
    (aside) => shownMs - zoneOffsetMinutes(new Date(shownMs + aside), isUtc) * MINUTE_MS,
  );
  const isShown = (ms: number): boolean => clockAt(ms, isUtc).getTime() === shownMs;
  return !isShown(before) && isShown(after) ? after : before;
}

/** The value of a date-and-time field: local time of the shown zone, to the second. */
export const toInputValue = (iso: string): string => clockAt(Date.parse(iso)).toISOString().slice(0, 19);

/** The moment in a date-and-time field; undefined when it is empty or invalid. */
export function fromInputValue(text: string): string | undefined {
  const shownMs = text === '' ? Number.NaN : Date.parse(`${text}Z`);
  return Number.isNaN(shownMs) ? undefined : new Date(momentOfClock(shownMs)).toISOString();
}

/** A time of day, or a date alone, that says which zone it means. */
const HAS_ZONE = /\d\s*(Z|UTC|GMT([+-]\d+)?|[+-]\d\d:?\d\d)\s*$/i;
const IS_ISO = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?$/;

/** The moment of a written time: in the zone that it names, otherwise in the shown one. Undefined when it is no time. */
export function readTime(text: string): string | undefined {
  const written = text.trim();
  if (HAS_ZONE.test(written)) {
    const ms = Date.parse(written);
    return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
  }
  const shownMs = Date.parse(
    IS_ISO.test(written) ? `${written.replace(' ', 'T')}${written.length > 10 ? 'Z' : ''}` : `${written} UTC`,
  );
  return written === '' || Number.isNaN(shownMs) ? undefined : new Date(momentOfClock(shownMs)).toISOString();
}
