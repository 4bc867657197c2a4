const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const CHOICES = [
  { label: '15 minutes ago', agoMs: 15 * MINUTE_MS },
  { label: '1 hour ago', agoMs: HOUR_MS },
  { label: '1 day ago', agoMs: DAY_MS },
  { label: '1 week ago', agoMs: 7 * DAY_MS },
];

/** The moments to offer: those after `since`. */
export function pastChoices(since: string, nowMs: number): Array<{ label: string; at: string }> {
  return CHOICES.map(({ label, agoMs }) => ({ label, at: new Date(nowMs - agoMs).toISOString() })).filter(
    ({ at }) => Date.parse(at) > Date.parse(since),
  );
}

/** The index of the moment in force at `at` (oldest first); the last moment is the state of now. */
export function momentIndex(moments: readonly string[], at: string | undefined): number {
  if (at === undefined) return moments.length - 1;
  return Math.max(
    moments.findLastIndex((moment) => Date.parse(moment) <= Date.parse(at)),
    0,
  );
}
