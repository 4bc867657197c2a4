import { contrast, readHex, textOn } from '../../lib/contrast.ts';
import type { OwnTexts } from '../texts/translate.ts';
import { isTheme, type ThemeChoice } from './load-params.ts';

export interface PageSettings {
  showWatermark: boolean;
  defaultTheme: ThemeChoice;
  theme: { light: { primary: string }; dark: { primary: string } };
  texts?: OwnTexts | undefined;
}

/** The value that the protocol sends when no colour is chosen; the page then uses its own. */
const UNCHOSEN = '#00B2E3';
const SURFACES = { light: '#FFFFFF', dark: '#11171B' };
const READABLE = 4.5;
const VISIBLE = 3;

type Scheme = keyof typeof SURFACES;

/** `--connect-*` variables of one scheme for an app's colour; empty where the page's own colours apply. */
export function brandVariables(scheme: Scheme, primary: string): Record<`--connect-${string}`, string> {
  const surface = SURFACES[scheme];
  if (primary.toUpperCase() === UNCHOSEN || !readHex(primary)) return {};
  const text = textOn(primary);
  const isSeen = contrast(primary, surface) >= VISIBLE;
  return {
    [`--connect-primary-${scheme}`]: primary,
    [`--connect-on-primary-${scheme}`]: text,
    // Away from the text colour, so that the text stays readable on hover.
    [`--connect-primary-hover-${scheme}`]: `color-mix(in srgb, ${primary} 86%, ${text === '#FFFFFF' ? '#000' : '#FFF'})`,
    ...(isSeen ? { [`--connect-ring-${scheme}`]: primary } : {}),
    ...(contrast(primary, surface) >= READABLE ? { [`--connect-link-${scheme}`]: primary } : {}),
  };
}

/** The address takes precedence over the settings of the session. */
export function applyTheme(wish: ThemeChoice | undefined, settings?: PageSettings): void {
  const root = document.documentElement;
  const theme = wish ?? settings?.defaultTheme ?? 'system';
  if (theme === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = theme;
  for (const name of [...root.style]) if (name.startsWith('--connect-')) root.style.removeProperty(name);
  if (!settings) return;
  for (const scheme of ['light', 'dark'] as const) {
    for (const [name, value] of Object.entries(brandVariables(scheme, settings.theme[scheme].primary)))
      root.style.setProperty(name, value);
  }
}

/** Settings that another page sent; undefined when they are invalid. */
export function readSettings(value: unknown): PageSettings | undefined {
  const { showWatermark, defaultTheme, theme, texts } = (value ?? {}) as Partial<PageSettings>;
  const light = theme?.light?.primary;
  const dark = theme?.dark?.primary;
  if (!isTheme(defaultTheme) || typeof light !== 'string' || typeof dark !== 'string') return undefined;
  return {
    showWatermark: showWatermark === true,
    defaultTheme,
    theme: { light: { primary: light }, dark: { primary: dark } },
    texts,
  };
}
