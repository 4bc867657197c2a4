const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
/** Within this time, a zone does not change its offset and back. */
const STEP_MS = 7 * DAY_MS;
/** Longer buckets do not follow clock changes, so that a period of decades is not split into hundreds of parts. */
const LONG_MS = 31 * DAY_MS;

/** A period in which a zone has one offset; both ends in milliseconds and included. */
export interface OffsetSpan {
  from: number;
  to: number;
  /** How far the clocks are ahead of UTC, in milliseconds. */
  offsetMs: number;
}

/**
 * Buckets of a chart over a period. The number of a bucket is the local time divided by the bucket size, so a day is a
 * calendar day, with 23 or 25 hours where clocks change.
 */
export interface TimeBuckets {
  sizeMs: number;
  /** The period, split where clocks change. */
  spans: OffsetSpan[];
  /** Number of the first bucket. */
  first: number;
  /** Start of each bucket, in milliseconds. */
  starts: number[];
  /** End of the last bucket, in milliseconds. */
  end: number;
}

/** The buckets from `from` to `to`, both included, in milliseconds; `timeZone` is an IANA name. */
export function cutPeriod(period: { from: number; to: number; sizeMs: number; timeZone: string }): TimeBuckets {
  const { from, to, sizeMs, timeZone } = period;
  // The first bucket begins before the period and the last one ends after it; clocks may change there too.
  const all = offsetSpans({ from: from - sizeMs - DAY_MS, to: to + sizeMs + DAY_MS, timeZone });
  const counted = all.find((span) => from <= span.to) ?? { from, to, offsetMs: 0 };
  // Buckets of up to an hour ignore clock changes: by local time, an hour that occurs twice would be one bucket.
  const spans = sizeMs <= HOUR_MS || sizeMs > LONG_MS ? [{ ...counted, from: -Infinity, to: Infinity }] : all;
  const own = spans
    .filter((span) => span.to >= from && span.from <= to)
    .map((span) => ({ ...span, from: Math.max(span.from, from), to: Math.min(span.to, to) }));
  const numberAt = (at: number): number => {
    const { offsetMs } = spans.find((span) => at <= span.to) ?? counted;
    return Math.floor((at + offsetMs) / sizeMs);
  };
  const first = numberAt(from);
  const edges = Array.from({ length: Math.max(numberAt(to) - first, 0) + 2 }, (_, index) =>
    firstMoment((first + index) * sizeMs, spans),
  );
  return { sizeMs, spans: own, first, starts: edges.slice(0, -1), end: edges.at(-1) ?? to };
}

/** The first time at which local clocks show `shownMs`; the time of the change when clocks skip it. */
function firstMoment(shownMs: number, spans: readonly OffsetSpan[]): number {
  const span = spans.find(({ to, offsetMs }) => shownMs - offsetMs <= to) ?? spans.at(-1);
  return span ? Math.max(shownMs - span.offsetMs, span.from) : shownMs;
}

function offsetSpans({ from, to, timeZone }: { from: number; to: number; timeZone: string }): OffsetSpan[] {
  const offsetAt = offsetsOf(timeZone);
  const spans: OffsetSpan[] = [{ from: -Infinity, to: Infinity, offsetMs: offsetAt(from) }];
  for (let known = from; known < to; known += STEP_MS) {
    const last = spans.at(-1);
    const offsetMs = offsetAt(known + STEP_MS);
    if (!last || offsetMs === last.offsetMs) continue;
    let before = known;
    let after = known + STEP_MS;
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (offsetAt(middle) === last.offsetMs) before = middle;
      else after = middle;
    }
    last.to = before;
    spans.push({ from: after, to: Infinity, offsetMs });
  }
  return spans;
}

function offsetsOf(timeZone: string): (at: number) => number {
  if (timeZone === 'UTC') return () => 0;
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return (at) => {
    // "1/1/2026, GMT+05:30", or "GMT" without an offset.
    const [, sign, hours, minutes] = /GMT([+-])(\d+):(\d+)/.exec(format.format(at)) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * HOUR_MS + Number(minutes ?? 0) * MINUTE_MS);
  };
}
