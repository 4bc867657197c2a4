import { defineConfig } from 'vitest/config';

/** The same factor as in `test/support/wait-limit.ts`: CI machines are shared, and no person waits there. */
const FACTOR = process.env['CI'] ? 2 : 1;
const WAIT_LIMIT_MS = 50_000 * FACTOR;
const CRASH_TESTS = ['test/integration/crashes/**/*.test.ts', 'test/contract/**/*crash*.test.ts'];
const SIMULATION = ['test/simulation/**/*.test.ts'];
/**
 * If set, a file that gets one line per test file: processor seconds of the file and of its child processes, its path,
 * the process.
 */
const MEASURED = process.env['HOMEPORT_TEST_TIMES'] ? ['test/support/processor-time.ts'] : [];

/**
 * Limits end tests that hang; they do not measure. Files of a project share their processes, in which everything is
 * already loaded, so there are no more projects than limits of time: each loads the server again.
 */
function project(name: string, include: string[], limitMs: number) {
  return {
    extends: true as const,
    test: {
      name,
      include,
      exclude: ['**/node_modules/**', ...(name === 'tests' ? [...CRASH_TESTS, ...SIMULATION] : [])],
      isolate: false,
      setupFiles: [...MEASURED, 'test/support/leak-check.ts'],
      testTimeout: limitMs * FACTOR,
      hookTimeout: limitMs * FACTOR,
    },
  };
}

/**
 * Test files run in forked processes of the bundled Node, because native modules need a real process. Projects run in
 * the order of their names.
 */
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    // Most of a process start is compiling its program; the cache saves this for the next process.
    env: { NODE_COMPILE_CACHE: new URL('../../dist/cache/compile', import.meta.url).pathname },
    pool: 'forks',
    // For two cores: of four files, two usually wait for a process, a browser or a time limit.
    maxWorkers: 4,
    tags: [
      {
        name: 'slow',
        description: 'Left out by `npm test`, run by `npm run test:all` (CONTRIBUTING.md, "Tests").',
      },
      {
        name: 'nightly',
        description: 'Left out by `npm test` and `npm run test:all`, run by `npm run test:nightly`.',
      },
      { name: 'main-path', description: 'Of a slow file, and run by `npm test` all the same.' },
    ],
    expect: { poll: { timeout: WAIT_LIMIT_MS } },
    teardownTimeout: 10_000,
    projects: [
      project('crashes', CRASH_TESTS, 300_000),
      project('simulation', SIMULATION, 900_000),
      project('tests', ['{test,server,functions,electron,build,renderer}/**/*.test.{ts,tsx}'], 60_000),
    ],
  },
});
