import { copyFileSync, cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DIST, ROOT } from './setup-paths.mjs';
import { SetupProblem } from './setup-problem.mjs';

/** Not bundled: machine code, tools that find their own files by their path, and modules that the shell provides. */
const EXTERNAL = [
  'sqlite3',
  'keytar',
  'isolated-vm',
  'esbuild',
  'oxc-parser',
  'typescript',
  'electron',
  '@duckdb/node-api',
];

/** Its CommonJS form finds its own files by a function that no bundler reads. */
const ALIAS = { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' };

/** CommonJS packages inside an ES module bundle still call `require`. */
const REQUIRE_BANNER =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/**
 * `import` of node:http evaluates all its members, one of which loads Node's own fetch and takes 60 ms of a start.
 * `require` does not.
 */
const REQUIRED_HTTP = {
  name: 'required-http',
  setup(builder) {
    builder.onResolve({ filter: /^node:http$/ }, ({ kind, path: name }) =>
      kind === 'import-statement' ? { path: name, namespace: 'required' } : { path: name, external: true },
    );
    builder.onLoad({ filter: /./, namespace: 'required' }, ({ path: name }) => ({
      contents: `module.exports = require('${name}');`,
    }));
  },
};

async function bundle(name, options) {
  const { build, formatMessages } = await import('esbuild');
  const work = build({
    absWorkingDir: ROOT,
    bundle: true,
    platform: 'node',
    target: 'node24',
    external: EXTERNAL,
    alias: ALIAS,
    sourcemap: 'linked',
    sourcesContent: false,
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'silent',
    ...options,
  });
  await work.catch(async ({ errors = [], message }) => {
    const lines = await formatMessages(errors, { kind: 'error' });
    throw new SetupProblem(`The ${name} could not be bundled.`, lines.join('') || message);
  });
}

/**
 * Bundles one file per process, because loading hundreds of modules would take longer than the whole start may take.
 */
export function bundleServer() {
  // File names of chunks contain a hash, so chunks of the last build would remain.
  rmSync(path.join(DIST, 'server'), { recursive: true, force: true });
  return bundle('server', {
    entryPoints: {
      main: 'server/main.ts',
      'worker-main': 'server/platform/sandbox/worker-main.ts',
      'query-engine': 'server/queries/engine/engine-main.ts',
      'type-check-main': 'functions/compiler/type-check/type-check-main.ts',
      'cli-main': 'server/cli/cli-main.ts',
    },
    outdir: 'dist/server',
    // Code that a start may not need, such as the compiler, is in separate files.
    splitting: true,
    plugins: [REQUIRED_HTTP],
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    banner: { js: REQUIRE_BANNER },
  });
}

/** A sandboxed preload script must be one CommonJS file. */
export async function bundleShell() {
  await bundle('desktop shell', {
    entryPoints: { main: 'electron/main/main.ts', 'watch-update': 'electron/server-process/watch-update.ts' },
    outdir: 'dist/electron',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    banner: { js: REQUIRE_BANNER },
  });
  await bundle('preload script', {
    entryPoints: { preload: 'electron/preload/preload.ts' },
    outdir: 'dist/electron',
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
  });
  copyFileSync(path.join(ROOT, 'build/resources/icon.png'), path.join(DIST, 'electron/icon.png'));
  cpSync(path.join(ROOT, 'build/resources/tray'), path.join(DIST, 'electron/tray'), { recursive: true });
}
