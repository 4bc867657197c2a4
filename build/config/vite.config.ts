import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { cssVariablesResolver, theme } from '../../renderer/app/theme.ts';

const root = new URL('../..', import.meta.url).pathname;
const THEME_SHEET = 'virtual:homeport-theme.css';

/** The theme's variables as a static sheet: the page's policy allows no style element, and nothing flashes on load. */
function themeSheet(): Plugin {
  const merged = mergeMantineTheme(DEFAULT_THEME, theme);
  const base = defaultCssVariablesResolver(merged);
  const own = cssVariablesResolver(merged);
  const sheet = convertCssVariables({
    variables: { ...base.variables, ...own.variables },
    light: { ...base.light, ...own.light },
    dark: { ...base.dark, ...own.dark },
  });
  return {
    name: 'homeport-theme',
    resolveId: (id) => (id === THEME_SHEET ? `\0${THEME_SHEET}` : null),
    load: (id) => (id === `\0${THEME_SHEET}` ? sheet : null),
  };
}

export default defineConfig({
  root: `${root}renderer`,
  base: '/app/',
  plugins: [react(), themeSheet()],
  build: {
    outDir: `${root}dist/renderer`,
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    reportCompressedSize: true,
  },
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(
      ['/api', '/connect', '/images', '/oauth', '/openapi.json'].map((path) => [path, 'http://127.0.0.1:3003']),
    ),
  },
});
