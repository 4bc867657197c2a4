import { type CSSVariablesResolver, createTheme } from '@mantine/core';
import { chartColors, tokenVariables } from './theme-tokens.ts';

const rem = (px: number): string => `${px / 16}rem`;

/** Names of Mantine's own variables that take one of our tokens. */
const SEMANTIC: Record<`--${string}`, string> = {
  '--mantine-color-body': 'var(--hp-surface)',
  '--mantine-color-text': 'var(--hp-text)',
  '--mantine-color-dimmed': 'var(--hp-text-2)',
  '--mantine-color-default': 'var(--hp-surface)',
  '--mantine-color-default-hover': 'var(--hp-hover)',
  '--mantine-color-default-color': 'var(--hp-text)',
  '--mantine-color-default-border': 'var(--hp-border-strong)',
  '--mantine-color-placeholder': 'var(--hp-text-3)',
  '--mantine-color-anchor': 'var(--hp-accent-text)',
  '--mantine-color-error': 'var(--hp-bad)',
  '--mantine-color-success': 'var(--hp-ok)',
  '--mantine-color-bright': 'var(--hp-text)',
  '--mantine-color-disabled': 'var(--hp-mute-soft)',
  '--mantine-color-disabled-color': 'var(--hp-text-3)',
  '--mantine-color-disabled-border': 'var(--hp-border)',
  '--mantine-color-petrol-filled': 'var(--hp-accent)',
  '--mantine-color-petrol-filled-hover': 'var(--hp-accent-hover)',
  '--mantine-primary-color-filled': 'var(--hp-accent)',
  '--mantine-primary-color-filled-hover': 'var(--hp-accent-hover)',
  '--mantine-primary-color-contrast': 'var(--hp-on-accent)',
};

/** Imported by the build: the variables become a static style sheet, so that the page needs no inline style. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: { ...tokenVariables('light'), ...SEMANTIC },
  dark: { ...tokenVariables('dark'), ...SEMANTIC },
});

export const theme = createTheme({
  colors: {
    petrol: [
      '#EEF7F9',
      '#DFF0F4',
      '#A5DCE7',
      '#6CC7D9',
      '#4DB4C9',
      '#2A97AE',
      '#0B7A93',
      '#0B6A80',
      '#085668',
      '#06414F',
    ],
  },
  primaryColor: 'petrol',
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  black: '#12191D',
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, 'SF Mono', Menlo, Consolas, monospace",
  fontSizes: { xs: rem(11), sm: rem(12), md: rem(13), lg: rem(14), xl: rem(16) },
  lineHeights: { xs: '1.4546', sm: '1.3334', md: '1.5385', lg: '1.4286', xl: '1.5' },
  fontWeights: { regular: '400', medium: '500', bold: '600' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: rem(20), lineHeight: '1.4' },
      h2: { fontSize: rem(13), lineHeight: '1.5385' },
      h3: { fontSize: rem(13), lineHeight: '1.5385' },
    },
  },
  spacing: { xs: rem(4), sm: rem(8), md: rem(12), lg: rem(16), xl: rem(24) },
  radius: { xs: rem(4), sm: rem(6), md: rem(8), lg: rem(12) },
  defaultRadius: 'sm',
  shadows: { sm: 'none', md: 'var(--hp-shadow-1)', xl: 'var(--hp-shadow-2)' },
  focusRing: 'auto',
  cursorType: 'pointer',
  respectReducedMotion: true,
  other: { chartColors },
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 28 } },
    Button: { defaultProps: { size: 'sm', variant: 'filled' } },
    Radio: { defaultProps: { size: 'xs' } },
    Checkbox: { defaultProps: { size: 'xs', radius: 'xs' } },
    // Scroll locking adds a style element, which the page's policy refuses; the page itself never scrolls.
    Modal: {
      defaultProps: {
        lockScroll: false,
        centered: true,
        radius: 'lg',
        shadow: 'xl',
        transitionProps: { duration: 120, transition: 'fade' },
      },
    },
    Menu: {
      defaultProps: {
        shadow: 'md',
        radius: 'md',
        transitionProps: { duration: 120, transition: 'fade' },
        // The placeholder is not a menu item, and a menu may contain only items; the first item gets the focus instead.
        withInitialFocusPlaceholder: false,
      },
    },
    Popover: {
      defaultProps: {
        shadow: 'md',
        radius: 'md',
        // No fade-out: during it the focus would still be in the field, and keys for the screen would be typed there.
        transitionProps: { duration: 120, exitDuration: 0, transition: 'fade' },
      },
    },
    Select: { defaultProps: { size: 'sm', allowDeselect: false } },
    Switch: { defaultProps: { size: 'sm', withThumbIndicator: false } },
    Tabs: { defaultProps: { keepMounted: false } },
    Tooltip: { defaultProps: { openDelay: 400, transitionProps: { duration: 80 } } },
  },
});
