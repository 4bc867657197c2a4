import { readStored, writeStored } from './stored.ts';

/** A recently opened screen: its address below the dashboard's base, and its title. */
export interface RecentScreen {
  path: string;
  label: string;
  /** The object it is a part of. */
  within: string;
}

const STORED = 'recentPlaces';
const MAX_KEPT = 20;

/** The last screens, newest first. */
export const readRecentScreens = (): RecentScreen[] => readStored<RecentScreen[]>(STORED, []);

/** Moves a screen to the front; replaces one with the same address. */
export function keepRecentScreen(screen: RecentScreen): void {
  const others = readRecentScreens().filter(({ path }) => path !== screen.path);
  writeStored(STORED, [screen, ...others].slice(0, MAX_KEPT));
}
