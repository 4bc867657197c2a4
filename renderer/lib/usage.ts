import { readStored, writeStored } from './stored.ts';

interface Use {
  count: number;
  /** Milliseconds since the epoch. */
  at: number;
}

const STORED = 'paletteUsage';
const MAX_KEPT = 200;
const HALF_LIFE_MS = 3 * 24 * 60 * 60 * 1000;

/** How often and when each entry was chosen, by id. */
export type Usage = Readonly<Record<string, Use>>;

export const readUsage = (): Usage => readStored<Usage>(STORED, {});

/** Counts one choice; the entries that were not chosen for the longest time are dropped. */
export function countUse(id: string, now: number): void {
  const usage = { ...readUsage(), [id]: { count: (readUsage()[id]?.count ?? 0) + 1, at: now } };
  const kept = Object.entries(usage)
    .sort(([, a], [, b]) => b.at - a.at)
    .slice(0, MAX_KEPT);
  writeStored(STORED, Object.fromEntries(kept));
}

/** 0: never chosen; approaches 1 with every choice, and halves every three days. */
export function usageScore(usage: Usage, id: string, now: number): number {
  const use = usage[id];
  if (!use) return 0;
  return (1 - 1 / (1 + use.count)) * 0.5 ** (Math.max(now - use.at, 0) / HALF_LIFE_MS);
}
