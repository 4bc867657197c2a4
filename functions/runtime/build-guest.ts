import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { leanZod, settleNamespaces } from './lean-zod.ts';

/**
 * Leaves out zod's error messages in other languages. They are more than half of zod's code, which every isolate loads.
 * Functions get the English messages, which are the default.
 */
const englishOnly: Plugin = {
  name: 'zod-english-only',
  setup(builder) {
    builder.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** Bundles the guest runtime into one script that an isolate can evaluate. */
export async function buildGuest(): Promise<string> {
  const result = await build({
    entryPoints: [fileURLToPath(new URL('./guest.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2024',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import'],
    // lodash looks for the global object under this name, and would otherwise compile text to find it.
    define: { global: 'globalThis' },
    plugins: [englishOnly, leanZod],
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
  const file = result.outputFiles[0];
  if (!file) throw new Error('The guest runtime could not be bundled.');
  return settleNamespaces(file.text);
}
