import { readStored, writeStored } from './stored.ts';

/** A screen that was open: its address below the dashboard's base, and what it was called. */
export interface RecentScreen {
  path: string;
  label: string;
  /** What it is a part of. */
  within: string;
}

const STORED = 'recentPlaces';
const MOST_KEPT = 20;

/** The last screens, the newest first. */
export const readRecentScreens = (): RecentScreen[] => readStored<RecentScreen[]>(STORED, []);

/** Puts a screen in front; one of the same address is replaced. */
export function keepRecentScreen(screen: RecentScreen): void {
  const others = readRecentScreens().filter(({ path }) => path !== screen.path);
  writeStored(STORED, [screen, ...others].slice(0, MOST_KEPT));
}
