import { defineConfig } from 'vitest/config';

/** As `test/support/patience.ts` has it for other waits. */
const PATIENCE_MS = 60_000;

/** Every test file runs in a forked process of the bundled Node: the native modules need a real process. */
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['{server,functions,electron,build}/**/*.test.ts', 'renderer/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**', 'release/**', 'test/fixtures/**'],
    // Most of the start of a process from sources is reading TypeScript; the next one finds it read.
    env: { NODE_COMPILE_CACHE: new URL('../../dist/cache/compile', import.meta.url).pathname },
    pool: 'forks',
    maxWorkers: 2,
    // They end what hangs and measure nothing: on a busy machine everything takes many times as long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    teardownTimeout: 10_000,
  },
});
