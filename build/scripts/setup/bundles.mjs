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

/**
 * Packages in a form that costs a start less. Express loads its parser of bodies, with tables of all charsets, which only
 * the practice provider uses. The entry of undici also evaluates fetch, WebSocket and caches.
 */
const LEAN = {
  'body-parser': `
for (const name of ['json', 'raw', 'text', 'urlencoded'])
  exports[name] = (...options) => require('body-parser')[name](...options);`,
  undici: `
exports.Agent = require('undici/lib/dispatcher/agent.js');
exports.buildConnector = require('undici/lib/core/connect.js');
exports.errors = require('undici/lib/core/errors.js');`,
};

const LEAN_PACKAGES = {
  name: 'lean-packages',
  setup(builder) {
    builder.onResolve({ filter: new RegExp(`^(${Object.keys(LEAN).join('|')})$`) }, ({ path: name, namespace }) =>
      namespace === 'lean' ? undefined : { path: name, namespace: 'lean' },
    );
    builder.onLoad({ filter: /./, namespace: 'lean' }, ({ path: name }) => ({
      contents: LEAN[name],
      resolveDir: ROOT,
    }));
  },
};

/** `homeport serve` starts the server's own bundle. */
const SERVER_ENTRY = {
  name: 'server-entry',
  setup(builder) {
    builder.onResolve({ filter: /\/main\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './main.mjs', external: true } : undefined,
    );
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
export async function bundleServer() {
  // File names of chunks contain a hash, so chunks of the last build would remain.
  rmSync(path.join(DIST, 'server'), { recursive: true, force: true });
  // What two entries share is in chunks. By itself the server has 20 of them instead of 100, and starts in 0.85 of the time.
  await bundleProcesses({ main: 'server/main.ts' });
  await bundleProcesses(
    {
      'worker-main': 'server/platform/sandbox/worker-main.ts',
      'query-engine': 'server/queries/engine/engine-main.ts',
      'type-check-main': 'functions/compiler/type-check/type-check-main.ts',
      'cli-main': 'server/cli/cli-main.ts',
    },
    [SERVER_ENTRY],
  );
}

function bundleProcesses(entryPoints, plugins = []) {
  return bundle('server', {
    entryPoints,
    outdir: 'dist/server',
    // Code that a start may not need, such as the compiler, is in separate files.
    splitting: true,
    plugins: [REQUIRED_HTTP, LEAN_PACKAGES, ...plugins],
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
