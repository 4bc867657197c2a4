import { readStored, writeStored } from './stored.ts';

export const DENSITY_HEIGHTS = { compact: 28, normal: 36, comfortable: 48 } as const;
export type Density = keyof typeof DENSITY_HEIGHTS;

/** How this browser shows the dashboard; stored in the browser, not in the hub. */
export interface Preferences {
  contrast: 'system' | 'more';
  motion: 'system' | 'reduced';
  /** Height of table rows in lists without a choice of their own. */
  density: Density;
  /** Size of ordinary text in px; every other size follows from it. */
  fontSize: number;
  /** 24-hour clock, or 12-hour clock with am and pm. */
  hours: 12 | 24;
  /** BCP 47 name of the locale for dates and numbers; null = the browser's language. */
  locale: string | null;
  /** IANA name; null = the zone of this computer. */
  timeZone: string | null;
  /** Changed keys of commands, by command id. */
  keys: Record<string, string[]>;
}

export const FONT_SIZES = { least: 12, usual: 13, most: 18 } as const;
const STORED_AS = 'preferences';

const DEFAULTS: Preferences = {
  contrast: 'system',
  motion: 'system',
  density: 'normal',
  fontSize: FONT_SIZES.usual,
  hours: 24,
  locale: null,
  timeZone: null,
  keys: {},
};

let current = checked({ ...DEFAULTS, ...readStored<Partial<Preferences>>(STORED_AS, {}) });
const listeners = new Set<() => void>();

export const preferences = (): Preferences => current;

export function changePreferences(patch: Partial<Preferences>): void {
  take({ ...current, ...patch });
  writeStored(STORED_AS, current);
}

export function onPreferences(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Applies them to the page, now and when another window changes them. Call it once. */
export function startPreferences(): void {
  applyToPage();
  onPreferences(applyToPage);
  window.addEventListener('storage', (event) => {
    if (event.key !== null && !event.key.endsWith(STORED_AS)) return;
    take({ ...DEFAULTS, ...readStored<Partial<Preferences>>(STORED_AS, {}) });
  });
}

function take(next: Preferences): void {
  current = checked(next);
  for (const listener of listeners) listener();
}

/** Another version may have stored an invalid value. */
function checked(wish: Preferences): Preferences {
  const { least, most, usual } = FONT_SIZES;
  return {
    ...wish,
    density: wish.density in DENSITY_HEIGHTS ? wish.density : 'normal',
    fontSize: wish.fontSize >= least && wish.fontSize <= most ? wish.fontSize : usual,
    hours: wish.hours === 12 ? 12 : 24,
    locale: wish.locale !== null && isLocale(wish.locale) ? wish.locale : null,
    timeZone: wish.timeZone !== null && isTimeZone(wish.timeZone) ? wish.timeZone : null,
  };
}

function isLocale(name: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(name).length > 0;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat(undefined, { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function applyToPage(): void {
  const root = document.documentElement;
  root.toggleAttribute('data-more-contrast', current.contrast === 'more');
  root.toggleAttribute('data-reduced-motion', current.motion === 'reduced');
  // Text sizes are written for 13 px and are relative to the root's, see vite.config.ts.
  root.style.fontSize = current.fontSize === FONT_SIZES.usual ? '' : `${(current.fontSize / FONT_SIZES.usual) * 100}%`;
}
