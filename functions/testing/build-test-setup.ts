import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** The runtime contains its own Buffer and URLSearchParams for isolates. Tests run on Node, which has both. */
const nodeGlobals: Plugin = {
  name: 'node-globals',
  setup(builder) {
    const path = fileURLToPath(new URL('./node-globals.ts', import.meta.url));
    builder.onResolve({ filter: /\/globals\/(?:buffer-global|url-search-params)\.ts$/ }, () => ({ path }));
  },
};

/** Bundles the mock classes into one readable module, which authors keep with their tests. */
export async function buildTestSetup(): Promise<string> {
  const result = await build({
    entryPoints: [fileURLToPath(new URL('./vitest-setup.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    platform: 'node',
    mainFields: ['module', 'main'],
    external: ['vitest', 'zod'],
    plugins: [nodeGlobals],
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
  });
  const file = result.outputFiles[0];
  if (!file) throw new Error('The test set-up could not be bundled.');
  return file.text;
}
