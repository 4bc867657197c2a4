/** Characters worked on before others get their turn: a few milliseconds of sealing or hashing. */
const SLICE_CHARACTERS = 256 * 1024;

/** Maps in slices, so that a large batch never holds the event loop for long. */
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
