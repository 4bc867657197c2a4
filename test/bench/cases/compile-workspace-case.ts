import { readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import sqlite3 from 'sqlite3';
import { ConcurrencyLimit } from '../../../functions/compiler/concurrency-limit.ts';
import { readProcessFacts } from '../../soak/process-facts.ts';
import { generateWorkspace } from '../../support/generated-workspace.ts';
import { startServer } from '../../support/start-server.ts';
import { createTempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { BenchCase, BenchRow } from '../bench-case.ts';

const COLD_GOAL_MS = 60_000;
const CACHED_GOAL_MS = 3_000;
/** The number of functions in the goals (design.md 9). */
const GOAL_FUNCTIONS = 6_000;
const MAX_IDLE_MB = 300;
const BASELINE_AT_ONCE = 16;
const LOOK_EVERY_MS = 200;

/**
 * A workspace of thousands of functions: all new, all touched (their text is in the cache), and unchanged. Measured from
 * the start of the process until every function is stored as live, without type checks.
 */
export const compileWorkspaceCase: BenchCase = {
  name: 'compile',
  run: async ({ functions, idleMs }) => {
    const home = await createTempHome();
    try {
      const workspace = join(home.path, 'functions');
      const paths = await generateWorkspace(workspace, functions);
      const waitForAll = (modifiedMs: number) => waitUntilLive(join(home.path, 'homeport.db'), functions, modifiedMs);
      const bundled = await timed(() => bundleAll(workspace, paths));

      const startedAt = performance.now();
      const server = await startServer({ home: home.path });
      await waitForAll(0);
      const cold = performance.now() - startedAt;
      await sleep(idleMs);
      const memory = await memoryRow(server.pid, { what: `after compiling ${functions} functions`, idleMs });
      await server.stop();

      const touchedAt = Math.floor(Date.now() / 1000) * 1000 + 60_000;
      for (const path of paths) await utimes(join(workspace, path), touchedAt / 1000, touchedAt / 1000);
      const read = await timed(() => readAll(workspace, paths));
      const startAgain = async (): Promise<void> => {
        await server.restart();
        await waitForAll(touchedAt);
      };
      const cached = await timed(startAgain);
      await server.stop();
      const unchanged = await timed(startAgain);
      await sleep(idleMs);
      memory.push(...(await memoryRow(server.pid, { what: `after a start with ${functions} functions`, idleMs })));
      await server.stop();

      const coldGoalMs = (COLD_GOAL_MS * functions) / GOAL_FUNCTIONS;
      return [
        row(`${functions} new functions → live (esbuild alone)`, cold, bundled, coldGoalMs),
        row(`${functions} touched functions, from cache (reading the files)`, cached, read, CACHED_GOAL_MS),
        row(`${functions} unchanged functions (reading the files)`, unchanged, read, CACHED_GOAL_MS),
        ...memory,
      ];
    } finally {
      await home.remove();
    }
  },
};

function row(what: string, ours: number, baseline: number, goalMs: number): BenchRow {
  return { what, unit: 'ms', ours, baseline, goal: `≤ ${Math.round(goalMs)} ms`, isMet: ours <= goalMs };
}

/** Only Linux tells what a process shares with others. */
async function memoryRow(pid: number, of: { what: string; idleMs: number }): Promise<BenchRow[]> {
  if (process.platform !== 'linux') return [];
  const { familyMegabytes: ours } = await readProcessFacts(pid);
  return [
    {
      what: `memory ${of.idleMs / 1000} s ${of.what}`,
      unit: 'MB',
      ours,
      goal: `≤ ${MAX_IDLE_MB} MB`,
      isMet: ours <= MAX_IDLE_MB,
    },
  ];
}

/** Waits until every function is stored as compiled from a file of that time or later. */
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
         WHERE definition IS NOT NULL AND file.value ->> 'path' = functions.path AND file.value ->> 'modifiedMs' >= ?`,
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
