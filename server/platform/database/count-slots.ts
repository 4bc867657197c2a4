const MINUTE_MS = 60_000;
/** A quarter of an hour divides the day in every time zone. */
export const QUARTER_MS = 15 * MINUTE_MS;
const DAY_MS = 96 * QUARTER_MS;

/** The longest period of a chart, and one day more for its first bar. */
export const CHART_KEPT_MS = 91 * DAY_MS;

/** Charts show an hour by minutes and 90 days by quarters of an hour; the extra time covers the first bar. */
export const CHART_SLOTS: ReadonlyArray<readonly [slotMs: number, keptMs: number]> = [
  [MINUTE_MS, 180 * MINUTE_MS],
  [QUARTER_MS, CHART_KEPT_MS],
];

/** Start of the slot that contains a time; both in milliseconds. */
export const slotOf = (at: number, slotMs: number): number => Math.floor(at / slotMs) * slotMs;

/** The longest slots that divide bars of this length. */
export const slotOfBars = (barMs: number): number => (barMs % QUARTER_MS === 0 ? QUARTER_MS : MINUTE_MS);

/** Merges entries with the same parts and adds their counts up, so that a large batch becomes few rows. */
export function addUp(
  entries: Iterable<{ parts: Array<string | number | null>; counts: readonly number[] }>,
): Array<Array<string | number | null>> {
  const sums = new Map<string, { parts: Array<string | number | null>; counts: number[] }>();
  for (const { parts, counts } of entries) {
    // Every position has one kind of value, and no name is empty or contains a zero character.
    const key = parts.join('\0');
    const known = sums.get(key);
    if (known) known.counts = known.counts.map((count, index) => count + (counts[index] ?? 0));
    else sums.set(key, { parts, counts: [...counts] });
  }
  return Array.from(sums.values(), ({ parts, counts }) => [...parts, ...counts]);
}
