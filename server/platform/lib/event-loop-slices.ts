/** Characters per slice: sealing or hashing them takes a few milliseconds, then other work gets its turn. */
const SLICE_CHARACTERS = 256 * 1024;

/** Maps in slices, so that a large batch does not block the event loop for long. */
export async function mapInSlices<T, R>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  map: (item: T) => R,
): Promise<R[]> {
  const results: R[] = [];
  let characters = 0;
  for (const item of items) {
    results.push(map(item));
    characters += sizeOf(item);
    if (characters < SLICE_CHARACTERS) continue;
    characters = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return results;
}
