/**
 * Whether a call with `asked` does at most what one with `given` does, judged by its arguments: members may be left
 * out, lists may contain fewer items in the same order, everything else is equal. A shorter text does not count,
 * because it may be the id of something else (ui.md 6.15).
 */
export function isNarrower(asked: unknown, given: unknown): boolean {
  if (Array.isArray(asked)) return Array.isArray(given) && isPartOf(asked, given);
  if (isObject(asked))
    return (
      isObject(given) &&
      Object.entries(asked).every(([name, value]) => Object.hasOwn(given, name) && isNarrower(value, given[name]))
    );
  return asked === given;
}

/** Whether all items of one list appear in the other in the same order. */
function isPartOf(asked: readonly unknown[], given: readonly unknown[]): boolean {
  let at = 0;
  return asked.every((item) => {
    while (at < given.length && !isNarrower(item, given[at])) at += 1;
    at += 1;
    return at <= given.length;
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
