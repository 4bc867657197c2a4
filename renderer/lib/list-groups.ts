/** Rows of a list that belong together, with their number. */
export interface ShownGroup {
  value: string;
  label: string | null;
  provider: string | null;
  count: number;
}

export type GroupPlace = { head: ShownGroup } | { row: number };

/** The value of the group for rows of more groups than the list names. */
export const FURTHER_GROUPS = '';

/**
 * Where heads and rows of a grouped list are: each group has a head, and its rows below it unless it is collapsed. `rows`
 * is the number of all rows, in the order of the groups; rows beyond the named groups are one more group.
 */
export function placeGroups(
  named: readonly ShownGroup[],
  rows: number,
  collapsed: ReadonlySet<string>,
): { total: number; at: (index: number) => GroupPlace | undefined } {
  const counted = named.reduce((sum, { count }) => sum + count, 0);
  const further = { value: FURTHER_GROUPS, label: null, provider: null, count: rows - counted };
  const groups = further.count > 0 ? [...named, further] : named;
  const starts: Array<{ group: ShownGroup; head: number; firstRow: number }> = [];
  let total = 0;
  let firstRow = 0;
  for (const group of groups) {
    starts.push({ group, head: total, firstRow });
    total += 1 + (collapsed.has(group.value) ? 0 : group.count);
    firstRow += group.count;
  }
  const at = (index: number): GroupPlace | undefined => {
    if (index < 0 || index >= total) return undefined;
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle]?.head ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    const found = starts[low];
    if (!found) return undefined;
    return index === found.head ? { head: found.group } : { row: found.firstRow + index - found.head - 1 };
  };
  return { total, at };
}
