import { setTimeout } from 'node:timers/promises';
import { saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { BenchCase, BenchRow } from '../bench-case.ts';
import { atLeast, atMost, shown } from '../bench-row.ts';
import { BENCH_INTEGRATION, type BenchServer, startBenchServer } from '../bench-server.ts';
import { latencies, median, medianLatency, quantile, type Target } from '../measure.ts';
import { deployNoOp } from './action-case.ts';

const AT_ONCE = 10;
const SYNC = 'nothing';
const ACTION = 'meanwhile';
/** Calls of it before. */
const ALONE = 50;
const MAX_COMMAND_MS = 3_000;
const MIN_IMPORTS = 600;
const MIN_RUNS = 500;
const MAX_LIST_MS = 30;
const MAX_DELAY_MS = 20;
const POLL_MS = 1_000;

/** 10,000 connections with a sync: imports, commands for all of them, their runs, and the list with a search. */
export const manyConnectionsCase: BenchCase = {
  name: 'many-connections',
  run: async ({ growthConnections: count, rounds }) => {
    const bench = await startBenchServer();
    try {
      await saveFunction(bench.server.workspace, `${BENCH_INTEGRATION}/syncs/${SYNC}.ts`, emptySync());
      await waitFor(() => isLive(bench), { what: 'the sync' });
      await deployNoOp(bench, ACTION);
      const bareRate = await hellosPerSecond(bench, count);
      const importMs = await timed(() => inTurns(count, (index) => bench.connect(`c-${index}`)));
      const importRate = { ours: (count / importMs) * 1000, baseline: bareRate };
      const rows: BenchRow[] = [
        atLeast(`imports with a sync, ${AT_ONCE} at a time (bare Express answers)`, importRate, MIN_IMPORTS),
        await listRow(bench, rounds),
      ];
      const alone = await medianLatency(actionOf(bench), ALONE);
      const startedAt = performance.now();
      rows.push(await commandRow(bench, 'start', count));
      rows.push(...(await drainRows(bench, { startedAt, count, bareRate, alone })));
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
  const what = `POST /sync/${command}, ${count} connections (longest write of another meanwhile)`;
  return atMost(what, { ours: elapsedMs, baseline: maxMs }, MAX_COMMAND_MS);
}

interface Burst {
  startedAt: number;
  count: number;
  bareRate: number;
  /** Time of an action on the idle hub, in ms. */
  alone: number;
}

/** From the command that makes all of them due to the end of the last run, with an action called again and again. */
async function drainRows(bench: BenchServer, { startedAt, count, bareRate, alone }: Burst): Promise<BenchRow[]> {
  let isOver = false;
  const actions = latencies(actionOf(bench), () => !isOver);
  // At a long interval: the request about all of them is work for the hub as well.
  while ((await finishedRuns(bench)) < count) await setTimeout(POLL_MS);
  const rate = (count / (performance.now() - startedAt)) * 1000;
  isOver = true;
  const times = await actions;
  const at = (share: number): number => quantile(times, share) - alone;
  const delay = 'delay of an action during the burst (the action alone)';
  return [
    atLeast(`${count} due syncs without work (bare Express answers)`, { ours: rate, baseline: bareRate }, MIN_RUNS),
    shown(`${delay}, median of ${times.length}`, { ours: at(0.5), baseline: alone }),
    shown(`${delay}, 99 of 100`, { ours: at(0.99), baseline: alone }),
    atMost(`${delay}, longest`, { ours: at(1), baseline: alone }, MAX_DELAY_MS),
  ];
}

function actionOf(bench: BenchServer): Target {
  return bench.target('/action/trigger', { action_name: ACTION });
}

async function listRow(bench: BenchServer, rounds: number): Promise<BenchRow> {
  const times: number[] = [];
  for (let round = 0; round < rounds * 4; round++)
    times.push(await timed(() => get(bench, `/connections?search=c-${round}7&limit=100`)));
  const ours = median(times);
  return atMost('GET /connections with search', { ours }, MAX_LIST_MS);
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
