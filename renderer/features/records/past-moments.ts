import { clockAt, momentOfClock } from '../../lib/shown-zone.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const CHOICES = [
  { label: '15 minutes ago', agoMs: 15 * MINUTE_MS },
  { label: '1 hour ago', agoMs: HOUR_MS },
  { label: '1 day ago', agoMs: DAY_MS },
  { label: '1 week ago', agoMs: 7 * DAY_MS },
];

/** Moments to offer: those that lie behind `since`. */
export function pastChoices(since: string, nowMs: number): Array<{ label: string; at: string }> {
  return CHOICES.map(({ label, agoMs }) => ({ label, at: new Date(nowMs - agoMs).toISOString() })).filter(
    ({ at }) => Date.parse(at) > Date.parse(since),
  );
}

/** What a field for date and time holds: what clocks of the shown zone show, to the second. */
export const toInputValue = (iso: string): string => clockAt(Date.parse(iso)).toISOString().slice(0, 19);

/** The moment that a field for date and time holds; undefined when it holds none. */
export function fromInputValue(text: string): string | undefined {
  const shownMs = text === '' ? Number.NaN : Date.parse(`${text}Z`);
  return Number.isNaN(shownMs) ? undefined : new Date(momentOfClock(shownMs)).toISOString();
}

/** Which of the moments, the oldest first, is in force at `at`; their number for now. */
export function momentIndex(moments: readonly string[], at: string | undefined): number {
  if (at === undefined) return moments.length;
  return Math.max(
    moments.findLastIndex((moment) => Date.parse(moment) <= Date.parse(at)),
    0,
  );
}
