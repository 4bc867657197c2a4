import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { cssVariablesResolver, theme } from '../../renderer/app/theme.ts';
import { listLicences } from './licence-list.ts';

const root = new URL('../..', import.meta.url).pathname;
const LICENCES = 'virtual:homeport-licences';
const THEME_SHEET = 'virtual:homeport-theme.css';
const SHARED = 'shared';
const START = 'start-screen';

/**
 * The theme's variables as a static style sheet: the page's policy allows no style element, and the page does not flash
 * on load.
 */
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

/** Converts text sizes from px to a share of the root's size, which a person may change. */
function scalableText(): Plugin {
  return {
    name: 'homeport-scalable-text',
    enforce: 'pre',
    transform: (code, id) =>
      /\/renderer\/[^?]*\.css$/.test(id)
        ? code.replace(
            /\b(font-size|line-height): (\d+(?:\.\d+)?)px/g,
            (_, name: string, px: string) => `${name}: ${Number(px) / 16}rem`,
          )
        : null,
  };
}

/** Provides `virtual:homeport-licences` to the pages: the names and licences of what ships, from the lock file. */
function licenceList(): Plugin {
  return {
    name: 'homeport-licences',
    resolveId: (id) => (id === LICENCES ? `\0${LICENCES}` : null),
    load: (id) => (id === `\0${LICENCES}` ? `export const licences = ${JSON.stringify(listLicences(root))};` : null),
  };
}

/**
 * Puts the script that requests a screen's files before the entry of the built page. Without a build nothing is split.
 */
function startScreen(): Plugin {
  return {
    name: 'homeport-start-screen',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_, { bundle = {} }) => {
        const script = Object.values(bundle).find((one) => one.type === 'chunk' && one.isEntry && one.name === START);
        if (!script) throw new Error(`The build has no ${START}.`);
        const attrs = { type: 'module', async: true, crossorigin: true, src: `/app/${script.fileName}` };
        return [{ tag: 'script', attrs, injectTo: 'head-prepend' }];
      },
    },
  };
}

/** The font of nearly every text is asked for with the page: lines would wrap again when it comes after them. */
function textFont(): Plugin {
  return {
    name: 'homeport-text-font',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_, { bundle = {} }) => {
        const file = Object.keys(bundle).find((name) => /\/inter-latin-[\w-]+\.woff2$/.test(name));
        if (!file) throw new Error('The build has no text font.');
        const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href: `/app/${file}` };
        return [{ tag: 'link', attrs, injectTo: 'head' }];
      },
    },
  };
}

/**
 * Puts the code of the first view into one file, and code that several screens share into a few files. By default the
 * bundler would write a file for each set of screens that share a module, which makes a hundred requests per page. The
 * text field, which nearly all screens use, is one file too. By name: a rule that counts screens changes with each new
 * screen. Small modules of many screens are further ones: the bundler would add them to a larger file of the
 * screens that share them, and every list would load that. The areas that scroll by scripts are in dialogs and menus of
 * most screens, and in the first view of few.
 */
const CODE_SPLITTING = {
  groups: [
    { name: START, test: /start-screen|screen-loaders|preload-helper/, priority: 3 },
    { name: 'initial', tags: ['$initial' as const], priority: 2 },
    { name: 'debounce', test: /use-debounced-callback|use-callback-ref/, priority: 1.7 },
    { name: 'scroll-area', test: /components\/ScrollArea\//, priority: 1.6 },
    {
      name: 'basics',
      test: /core\/esm\/components\/(Input\/use-input-props|InputBase\/InputBase|TextInput\/TextInput)\./,
      priority: 1.5,
    },
    { name: 'small', test: /PageSkeleton|Skeleton\/Skeleton|OperationDuration|IconPlayerStop\./, priority: 1.2 },
    { name: 'preferences', test: /use-preferences/, priority: 1.2 },
    { name: 'choices', test: /auth-modes|catalogue-choices/, priority: 1.2 },
    { name: SHARED, minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 600, priority: 1 },
  ],
};

/** The bundler joins the names of all screens that share the file. */
const nameOf = (name: string | undefined): string => (name?.startsWith(`${SHARED}~`) ? SHARED : '[name]');

export default defineConfig({
  root: `${root}renderer`,
  base: '/app/',
  plugins: [scalableText(), react(), themeSheet(), licenceList(), startScreen(), textFont()],
  build: {
    outDir: `${root}dist/renderer`,
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    reportCompressedSize: true,
    rolldownOptions: {
      // Only declares: a screen then loads the values that it uses, not those of every other screen.
      treeshake: {
        moduleSideEffects: [{ test: /\/(server\/contract|renderer\/api\/contract\.ts)/, sideEffects: false }],
      },
      input: { index: `${root}renderer/index.html`, [START]: `${root}renderer/app/start-screen.ts` },
      output: {
        codeSplitting: CODE_SPLITTING,
        // Without this, a module in one file may run before a module in another file on which it depends.
        strictExecutionOrder: true,
        chunkFileNames: ({ name }) => `assets/${nameOf(name)}-[hash].js`,
        assetFileNames: ({ names: [name] }) => `assets/${nameOf(name)}-[hash][extname]`,
      },
    },
  },
  server: {
    host: '127.0.0.1',
    // The hub answers its own pages only, so it must see the address that the browser asked.
    proxy: Object.fromEntries(
      ['/api', '/connect', '/images', '/oauth', '/openapi.json'].map((path) => [
        path,
        { target: `http://127.0.0.1:${process.env['HOMEPORT_PORT'] || 3003}`, changeOrigin: false },
      ]),
    ),
  },
});
