/** The counts of one bucket of a chart, lowest in the stack first. */
export interface ChartPoint {
  /** ISO time at which the bucket begins. */
  at: string;
  values: number[];
}

export type Fill = 'success' | 'failed' | 'timeout' | 'cancelled' | 'running' | 'extra';

export interface ChartSeries {
  name: string;
  fill: Fill;
}

type Counts = Partial<Record<string, Partial<Record<string, number>>>>;
interface Bucket {
  at: string;
  counts: Counts;
}

const STATES = [
  ['Success', 'success', 'success'],
  ['Running', 'running', 'running'],
  ['Cancelled', 'cancelled', 'cancelled'],
  ['Timeout', 'timeout', 'timeout'],
  ['Failed', 'failed', 'failed'],
] as const;

/** Operations of some kinds, stacked by state: success at the bottom, failures on top. States that never occur are left out. */
export function byState(
  buckets: readonly Bucket[],
  kinds: readonly string[],
): { series: ChartSeries[]; points: ChartPoint[] } {
  const countOf = ({ counts }: Bucket, state: string): number =>
    kinds.reduce((sum, kind) => sum + (counts[kind]?.[state] ?? 0), 0);
  const present = STATES.filter(
    ([, state]) => state === 'success' || state === 'failed' || buckets.some((bucket) => countOf(bucket, state) > 0),
  );
  return {
    series: present.map(([name, , fill]) => ({ name, fill })),
    points: buckets.map((bucket) => ({ at: bucket.at, values: present.map(([, state]) => countOf(bucket, state)) })),
  };
}

/** The same for buckets that count only states; `waiting` counts as running. */
export function byStateOnly(buckets: readonly { at: string; states: Partial<Record<string, number>> }[]): {
  series: ChartSeries[];
  points: ChartPoint[];
} {
  return byState(
    buckets.map(({ at, states: { waiting = 0, running = 0, ...states } }) => ({
      at,
      counts: { all: { ...states, running: running + waiting } },
    })),
    ['all'],
  );
}

const FAILING: ReadonlyArray<readonly [name: string, kinds: readonly string[], fill: Fill]> = [
  ['Syncs', ['sync'], 'failed'],
  ['Actions', ['action', 'event'], 'timeout'],
  ['API calls', ['proxy'], 'extra'],
  ['Webhooks', ['webhook'], 'running'],
  ['Sign-ins', ['sign-in', 'renewal'], 'cancelled'],
];

/** Failures and timeouts, stacked by kind. Kinds that never fail are left out, except for syncs. */
export function failuresByKind(buckets: readonly Bucket[]): { series: ChartSeries[]; points: ChartPoint[] } {
  const countOf = ({ counts }: Bucket, kinds: readonly string[]): number =>
    kinds.reduce((sum, kind) => sum + (counts[kind]?.['failed'] ?? 0) + (counts[kind]?.['timeout'] ?? 0), 0);
  const present = FAILING.filter(
    ([, kinds], index) => index === 0 || buckets.some((bucket) => countOf(bucket, kinds) > 0),
  );
  return {
    series: present.map(([name, , fill]) => ({ name, fill })),
    points: buckets.map((bucket) => ({ at: bucket.at, values: present.map(([, kinds]) => countOf(bucket, kinds)) })),
  };
}

interface CallBucket {
  at: string;
  calls: readonly { provider: string; statusClass: number; calls: number }[];
}

const STATUS_CLASSES: ReadonlyArray<readonly [name: string, statusClass: number, fill: Fill]> = [
  ['2xx', 2, 'success'],
  ['1xx', 1, 'cancelled'],
  ['3xx', 3, 'running'],
  ['4xx', 4, 'timeout'],
  ['5xx', 5, 'failed'],
  ['No response', 0, 'extra'],
];

/** Proxied requests by status class. Classes that never occur are left out, except for the usual ones. */
export function byStatusClass(buckets: readonly CallBucket[]): { series: ChartSeries[]; points: ChartPoint[] } {
  const countOf = ({ calls }: CallBucket, wanted: number): number =>
    sumOf(calls.filter(({ statusClass }) => statusClass === wanted).map((one) => one.calls));
  const present = STATUS_CLASSES.filter(
    ([, wanted]) => [2, 4, 5].includes(wanted) || buckets.some((bucket) => countOf(bucket, wanted) > 0),
  );
  return {
    series: present.map(([name, , fill]) => ({ name, fill })),
    points: buckets.map((bucket) => ({ at: bucket.at, values: present.map(([, wanted]) => countOf(bucket, wanted)) })),
  };
}

const PROVIDER_FILLS: readonly Fill[] = ['success', 'extra', 'running', 'timeout'];

/** Proxied requests by provider: the four with the most requests, and the others together. */
export function byProvider(buckets: readonly CallBucket[]): { series: ChartSeries[]; points: ChartPoint[] } {
  const totals = new Map<string, number>();
  for (const { provider, calls } of buckets.flatMap((bucket) => bucket.calls))
    totals.set(provider, (totals.get(provider) ?? 0) + calls);
  const ranked = [...totals].sort(([a, most], [b, least]) => least - most || a.localeCompare(b)).map(([name]) => name);
  const shown = ranked.slice(0, PROVIDER_FILLS.length);
  const hasOthers = ranked.length > shown.length;
  const valuesOf = ({ calls }: CallBucket): number[] => {
    const own = shown.map((name) => sumOf(calls.filter(({ provider }) => provider === name).map((one) => one.calls)));
    return hasOthers ? [...own, sumOf(calls.map((one) => one.calls)) - sumOf(own)] : own;
  };
  const series = shown.map((name, index): ChartSeries => ({ name, fill: PROVIDER_FILLS[index] ?? 'success' }));
  return {
    series: hasOthers ? [...series, { name: 'Others', fill: 'cancelled' }] : series,
    points: buckets.map((bucket) => ({ at: bucket.at, values: valuesOf(bucket) })),
  };
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Records that runs changed. */
export function byRecordChange(
  buckets: readonly { at: string; records: { added: number; updated: number; deleted: number } }[],
): { series: ChartSeries[]; points: ChartPoint[] } {
  return {
    series: [
      { name: 'Added', fill: 'success' },
      { name: 'Updated', fill: 'running' },
      { name: 'Deleted', fill: 'extra' },
    ],
    points: buckets.map(({ at, records: { added, updated, deleted } }) => ({ at, values: [added, updated, deleted] })),
  };
}

/** The size of the database; 0 where it was not measured. */
export function byDatabaseSize(buckets: readonly { at: string; databaseBytes: number | null }[]): {
  series: ChartSeries[];
  points: ChartPoint[];
} {
  return {
    series: [{ name: 'Size', fill: 'success' }],
    points: buckets.map(({ at, databaseBytes }) => ({ at, values: [databaseBytes ?? 0] })),
  };
}

/**
 * Adds adjacent points until at most `most` bars are left; `sizeMs` is the time that one of them covers. Levels do not
 * add up, so the last one is used.
 */
export function condense(
  points: readonly ChartPoint[],
  bucketMs: number,
  most: number,
  isLevel = false,
): { bars: ChartPoint[]; sizeMs: number } {
  const each = Math.max(Math.ceil(points.length / Math.max(most, 1)), 1);
  const bars: ChartPoint[] = [];
  for (let from = 0; from < points.length; from += each) {
    const own = points.slice(from, from + each);
    const first = own[0];
    if (!first) continue;
    if (isLevel) {
      bars.push({ at: first.at, values: own.at(-1)?.values ?? [] });
      continue;
    }
    bars.push({
      at: first.at,
      values: first.values.map((_, index) => sumOf(own.map((one) => one.values[index] ?? 0))),
    });
  }
  return { bars, sizeMs: bucketMs * each };
}

/** Round values for the grid of a chart, 0 first; the last one is at least `most`. */
export function ticksUpTo(most: number): number[] {
  if (most <= 0) return [0, 1];
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(
    [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= rough && one % 1 === 0) ?? 1,
    1,
  );
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
}

/** The points as text for a spreadsheet: a header line, then one line each. */
export function toCsv(series: readonly ChartSeries[], points: readonly ChartPoint[]): string {
  const head = ['Time', ...series.map(({ name }) => name)];
  return [head, ...points.map(({ at, values }) => [at, ...values])].map((line) => line.join(',')).join('\n');
}
