import { setTimeout } from 'node:timers/promises';
import { saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { BenchCase, BenchRow } from '../bench-case.ts';
import { BENCH_INTEGRATION, type BenchServer, startBenchServer } from '../bench-server.ts';
import { median } from '../measure.ts';

const AT_ONCE = 10;
const SYNC = 'nothing';
const MAX_COMMAND_MS = 3_000;
const MIN_IMPORTS = 600;
const MIN_RUNS = 300;
const MAX_LIST_MS = 50;
const POLL_MS = 1_000;

/** 10,000 connections with a sync: imports, commands for all of them, their runs, and the list with a search. */
export const manyConnectionsCase: BenchCase = {
  name: 'many-connections',
  run: async ({ growthConnections: count, rounds }) => {
    const bench = await startBenchServer();
    try {
      await saveFunction(bench.server.workspace, `${BENCH_INTEGRATION}/syncs/${SYNC}.ts`, emptySync());
      await waitFor(() => isLive(bench), { what: 'the sync' });
      const bareRate = await hellosPerSecond(bench, count);
      const importMs = await timed(() => inTurns(count, (index) => bench.connect(`c-${index}`)));
      const rows: BenchRow[] = [
        {
          what: `imports with a sync, ${AT_ONCE} at a time (bare Express answers)`,
          unit: '/s',
          ours: (count / importMs) * 1000,
          baseline: bareRate,
          goal: `≥ ${MIN_IMPORTS}/s`,
          isMet: (count / importMs) * 1000 >= MIN_IMPORTS,
        },
        await listRow(bench, rounds),
      ];
      const startedAt = performance.now();
      rows.push(await commandRow(bench, 'start', count));
      rows.push(await drainRow(bench, { startedAt, count, bareRate }));
      for (const command of ['pause', 'trigger'] as const) rows.push(await commandRow(bench, command, count));
      return rows;
    } finally {
      await bench.stop();
    }
  },
};

/** One command for every connection; the slowest answer to another caller meanwhile shows whether the command blocks others. */
async function commandRow(
  bench: BenchServer,
  command: 'start' | 'pause' | 'trigger',
  count: number,
): Promise<BenchRow> {
  const body = { provider_config_key: BENCH_INTEGRATION, syncs: [SYNC] };
  const { maxMs, elapsedMs } = await besideWrites(bench, () => post(bench, `/sync/${command}`, body));
  return {
    what: `POST /sync/${command}, ${count} connections (longest write of another meanwhile)`,
    unit: 'ms',
    ours: elapsedMs,
    baseline: maxMs,
    goal: `≤ ${MAX_COMMAND_MS} ms`,
    isMet: elapsedMs <= MAX_COMMAND_MS,
  };
}

/** From the command that makes all of them due to the end of the last run. */
async function drainRow(
  bench: BenchServer,
  { startedAt, count, bareRate }: { startedAt: number; count: number; bareRate: number },
): Promise<BenchRow> {
  // At a long interval: the request about all of them is work for the hub as well.
  while ((await finishedRuns(bench)) < count) await setTimeout(POLL_MS);
  const rate = (count / (performance.now() - startedAt)) * 1000;
  return {
    what: `${count} due syncs without work (bare Express answers)`,
    unit: '/s',
    ours: rate,
    baseline: bareRate,
    goal: `≥ ${MIN_RUNS}/s`,
    isMet: rate >= MIN_RUNS,
  };
}

async function listRow(bench: BenchServer, rounds: number): Promise<BenchRow> {
  const times: number[] = [];
  for (let round = 0; round < rounds * 4; round++)
    times.push(await timed(() => get(bench, `/connections?search=c-${round}7&limit=100`)));
  const ours = median(times);
  return {
    what: 'GET /connections with search',
    unit: 'ms',
    ours,
    goal: `≤ ${MAX_LIST_MS} ms`,
    isMet: ours <= MAX_LIST_MS,
  };
}

async function besideWrites(
  bench: BenchServer,
  work: () => Promise<unknown>,
): Promise<{ elapsedMs: number; maxMs: number }> {
  let isOver = false;
  let maxMs = 0;
  const working = timed(work).finally(() => {
    isOver = true;
  });
  for (let index = 0; !isOver; index++) {
    const body = { provider_config_key: BENCH_INTEGRATION, connection_id: 'one', metadata: { index } };
    maxMs = Math.max(maxMs, await timed(() => post(bench, '/connections/metadata', body)));
  }
  return { elapsedMs: await working, maxMs };
}

async function finishedRuns(bench: BenchServer): Promise<number> {
  const response = await get(bench, `/sync/status?provider_config_key=${BENCH_INTEGRATION}&syncs=${SYNC}`);
  const { syncs } = response as { syncs: Array<{ finishedAt?: string | null }> };
  return syncs.filter(({ finishedAt }) => finishedAt).length;
}

async function isLive(bench: BenchServer): Promise<boolean> {
  const configs = (await bench.connection.nango.getScriptsConfig()) as Array<{ syncs: unknown[] }>;
  return configs.some(({ syncs }) => syncs.length === 1);
}

async function hellosPerSecond({ upstream }: BenchServer, count: number): Promise<number> {
  const elapsedMs = await timed(() =>
    inTurns(count, async () => void (await (await fetch(`${upstream.url}/hello`)).text())),
  );
  return (count / elapsedMs) * 1000;
}

async function inTurns(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  const indexes = Array.from({ length: count }, (_, index) => index).values();
  const worker = async (): Promise<void> => {
    for (const index of indexes) await work(index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function get({ server }: BenchServer, path: string): Promise<unknown> {
  const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${server.secretKey}` } });
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

async function post(bench: BenchServer, path: string, body: unknown): Promise<void> {
  const { url, ...request } = bench.target(path, body);
  const response = await fetch(url, request);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
}

function emptySync(): string {
  return `import { createSync } from 'homeport';
import * as z from 'zod';

export default createSync({
  description: 'Does nothing',
  version: '1.0.0',
  frequency: 'every day',
  autoStart: false,
  models: { Item: z.object({ id: z.string() }) },
  exec: async () => {},
});
`;
}
