/**
 * A hash that is used as a random source without state: the same parts always give the same number, so the data of any
 * time can be computed directly (FNV-1a, mixed).
 */
export function seedOf(...parts: Array<string | number>): number {
  let hash = 0x811c9dc5;
  for (const character of parts.join('\u0000')) {
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** An integer from `low` to `high`, both included. */
export function pickInt(hash: number, low: number, high: number): number {
  return low + (hash % (high - low + 1));
}

export function pickOne<T>(hash: number, choices: readonly [T, ...T[]]): T {
  return choices[hash % choices.length] ?? choices[0];
}
