import { readStored, writeStored } from './stored.ts';

/** A screen that was open: its address below the dashboard's base, and what it was called. */
export interface RecentPlace {
  path: string;
  label: string;
  /** What it is a part of. */
  within: string;
}

const STORED = 'recentPlaces';
const MOST_KEPT = 20;

/** The last screens, the newest first. */
export const readRecentPlaces = (): RecentPlace[] => readStored<RecentPlace[]>(STORED, []);

/** Puts a screen in front; one of the same address is replaced. */
export function keepRecentPlace(place: RecentPlace): void {
  const others = readRecentPlaces().filter(({ path }) => path !== place.path);
  writeStored(STORED, [place, ...others].slice(0, MOST_KEPT));
}
