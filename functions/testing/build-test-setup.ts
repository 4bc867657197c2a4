import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles the mock classes into one module that authors keep beside their tests; it is meant to be readable. */
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
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
  });
  const file = result.outputFiles[0];
  if (!file) throw new Error('The test set-up could not be bundled.');
  return file.text;
}
