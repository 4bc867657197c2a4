import { defineConfig } from 'vitest/config';

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
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
  },
});
