import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import sqlite3 from 'sqlite3';
import { ConcurrencyLimit } from '../../../functions/compiler/concurrency-limit.ts';
import { type BuiltinCatalog, loadBuiltinCatalog } from '../../../server/integrations/catalog/builtin-catalog.ts';
import { builtResources } from '../../support/built-resources.ts';
import { FOREIGN_ENTRIES, foreignCatalog } from '../../support/foreign-catalog.ts';
import { generateWorkspace } from '../../support/generated-workspace.ts';
import type { StartedServer } from '../../support/start-server.ts';
import { createTempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { BenchCase } from '../bench-case.ts';
import { atMost, shown } from '../bench-row.ts';
import { startPersonsServer } from '../bench-server.ts';
import { medianLatency } from '../measure.ts';
import { AFTER_WORK_GOAL_MB, memoryOf } from '../process-memory.ts';
import { measureStarts } from './start-up-case.ts';

const COLD_GOAL_MS = 45_000;
const CACHED_GOAL_MS = 2_000;
/** The number of functions in the goals (design.md 9). */
const GOAL_FUNCTIONS = 6_000;
const MAX_START_MS = 600;
const BASELINE_AT_ONCE = 16;
const LOOK_EVERY_MS = 200;
const LISTS = 10;

/**
 * A workspace of thousands of functions: all new, all touched (their text is in the cache), and unchanged. Measured from
 * the start of the process until every function is stored as live. Then starts with them and a large catalogue of the
 * person's own.
 */
export const compileWorkspaceCase: BenchCase = {
  name: 'compile',
  run: async ({ functions, idleMs, rounds }) => {
    const home = await createTempHome();
    let server: StartedServer | undefined;
    try {
      const workspace = join(home.path, 'functions');
      const paths = await generateWorkspace(workspace, functions);
      const waitForAll = (modifiedMs: number) => waitUntilLive(join(home.path, 'homeport.db'), functions, modifiedMs);
      const bundled = await timed(() => bundleAll(workspace, paths));

      const startedAt = performance.now();
      const started = await startPersonsServer({ home: home.path });
      server = started;
      await waitForAll(0);
      const cold = performance.now() - startedAt;
      const compiledMb = await memoryOf(started, idleMs);
      await started.end();

      const touchedAt = Math.floor(Date.now() / 1000) * 1000 + 60_000;
      for (const path of paths) await utimes(join(workspace, path), touchedAt / 1000, touchedAt / 1000);
      const read = await timed(() => readAll(workspace, paths));
      const touched = await timed(async () => {
        await started.restart();
        await waitForAll(touchedAt);
      });
      const listed = await listFunctions(started);
      await started.end();

      await writeFile(join(workspace, 'providers.yaml'), foreignCatalog(await builtinEntries()));
      // Reads the YAML once and caches the result.
      await started.restart();
      server = undefined;
      const start = await measureStarts(started, rounds);
      return [
        atMost(
          `${functions} new functions → live (esbuild alone)`,
          { ours: cold, baseline: bundled },
          Math.round((COLD_GOAL_MS * functions) / GOAL_FUNCTIONS),
        ),
        atMost(
          `${functions} touched functions, from cache (reading the files)`,
          { ours: touched, baseline: read },
          CACHED_GOAL_MS,
        ),
        shown(`GET /scripts/config, ${functions} functions`, { ours: listed }),
        atMost(
          `start with ${FOREIGN_ENTRIES} own provider entries and ${functions} functions (bare Express)`,
          start,
          MAX_START_MS,
        ),
        atMost(`memory ${idleMs / 1000} s after compiling them`, { ours: compiledMb }, AFTER_WORK_GOAL_MB, 'MB'),
      ];
    } finally {
      await server?.stop();
      await home.remove();
    }
  },
};

/** Median time of the list of all functions. */
function listFunctions({ secretKey, url }: StartedServer): Promise<number> {
  return medianLatency({ url: `${url}/scripts/config`, headers: { authorization: `Bearer ${secretKey}` } }, LISTS);
}

async function builtinEntries(): Promise<BuiltinCatalog> {
  return loadBuiltinCatalog((await builtResources()).catalog);
}

/** Waits until every generated function is stored as compiled from a file of that time or later. */
export async function waitUntilLive(database: string, functions: number, modifiedMs: number): Promise<void> {
  const isDone = async (): Promise<boolean> => {
    // Counting thousands of rows is slow; this interval is short enough to measure seconds.
    await sleep(LOOK_EVERY_MS);
    return (await countLive(database, modifiedMs)) === functions;
  };
  await waitFor(isDone, { limitMs: 600_000, what: `${functions} functions` });
}

/** Read directly from the file, so that waiting costs the server nothing. */
function countLive(file: string, modifiedMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const db = new sqlite3.Database(file, sqlite3.OPEN_READONLY, (failure) => {
      if (failure) return reject(failure);
      db.get<{ count: number }>(
        `SELECT COUNT(*) AS count FROM functions, json_each(inputs, '$.files') AS file
         WHERE functions.path LIKE 'generated-%' AND definition IS NOT NULL AND file.value ->> 'path' = functions.path AND file.value ->> 'modifiedMs' >= ?`,
        [modifiedMs],
        (error, found) => db.close(() => (error ? reject(error) : resolve(found.count))),
      );
    });
  });
}

async function bundleAll(workspace: string, paths: string[]): Promise<void> {
  const limit = new ConcurrencyLimit(BASELINE_AT_ONCE);
  const bundle = (path: string) =>
    build({
      entryPoints: [join(workspace, path)],
      bundle: true,
      write: false,
      platform: 'node',
      format: 'cjs',
      external: ['homeport', 'zod'],
    });
  await Promise.all(paths.map((path) => limit.run(() => bundle(path))));
}

async function readAll(workspace: string, paths: string[]): Promise<void> {
  for (const path of paths) await readFile(join(workspace, path), 'utf8');
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
