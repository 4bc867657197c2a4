import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { type Scheme, tokenVariables } from '../../renderer/app/theme-tokens.ts';

const root = new URL('../..', import.meta.url).pathname;
const COLOUR_SHEET = 'virtual:homeport-colours.css';
/** Variables that the colour of the embedding app replaces, with our own colour as the default. */
const BRAND = {
  primary: 'accent',
  'primary-hover': 'accent-hover',
  'on-primary': 'on-accent',
  link: 'accent-text',
  ring: 'focus',
};

function declarations(scheme: Scheme): string {
  const brand = Object.entries(BRAND).map(
    ([name, token]) => `--connect-${name}:var(--connect-${name}-${scheme},var(--hp-${token}))`,
  );
  const tokens = Object.entries(tokenVariables(scheme)).map(([name, value]) => `${name}:${value}`);
  return [...tokens.filter((token) => !/^--hp-(chart|keyword|string|number|function|type)/.test(token)), ...brand].join(
    ';',
  );
}

/**
 * The dashboard's colours as a static style sheet. The system decides between light and dark unless the page sets it.
 */
function colourSheet(): Plugin {
  const dark = declarations('dark');
  const sheet =
    `:root{${declarations('light')}}` +
    `@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${dark}}}` +
    `:root[data-theme=dark]{${dark}}`;
  return {
    name: 'homeport-colours',
    resolveId: (id) => (id === COLOUR_SHEET ? `\0${COLOUR_SHEET}` : null),
    load: (id) => (id === `\0${COLOUR_SHEET}` ? sheet : null),
  };
}

/** The page has its own build, so that the dashboard's components cannot get into it. */
export default defineConfig({
  root: `${root}renderer/connect`,
  base: './',
  plugins: [react(), colourSheet()],
  build: {
    outDir: `${root}dist/connect`,
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
});
