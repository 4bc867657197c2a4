/** A name with a larger share of wrong letters is not a typing error. */
const MAX_WRONG_SHARE = 0.4;

/**
 * The name that was probably meant; undefined when no name is close. Case is ignored. `maxWrong` limits the
 * number of wrong letters further.
 */
export function nearestName(
  written: string,
  names: Iterable<string>,
  maxWrong = Number.POSITIVE_INFINITY,
): string | undefined {
  let best: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const most = Math.min(maxWrong, Math.max(written.length, name.length) * MAX_WRONG_SHARE);
    // Each letter that one has more must be inserted. Most names end here, and a start compares thousands.
    if (Math.abs(written.length - name.length) > most) continue;
    const wrong = editDistance(written.toLowerCase(), name.toLowerCase());
    if (wrong >= fewest || wrong > most) continue;
    best = name;
    fewest = wrong;
  }
  return best;
}

/** A key has more other keys to be confused with than a member has, so fewer wrong letters count as a typing error. */
const MAX_WRONG_LETTERS = 2;

/**
 * The key that was probably meant; undefined when none is close. Only keys that look alike are compared: there may be
 * thousands.
 */
export function nearestKey(written: string, keys: Iterable<string>): string | undefined {
  const isClose = (key: string): boolean =>
    key[0] === written[0] && Math.abs(key.length - written.length) <= MAX_WRONG_LETTERS;
  return nearestName(written, [...keys].filter(isClose), MAX_WRONG_LETTERS);
}

/** Letters to insert, to remove or to change, and neighbours to swap, so that one text becomes the other. */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const changed = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(changed, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
