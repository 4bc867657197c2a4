import { actionSource, saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { BenchCase, BenchRow, BenchScale } from '../bench-case.ts';
import { addedAtMost, atLeast, atMost, shareAtLeast } from '../bench-row.ts';
import { BENCH_INTEGRATION, type BenchServer, startBenchServer } from '../bench-server.ts';
import { alternate, median, medianLatency, quantile, type Target, throughput, timesOf } from '../measure.ts';

const MCP_REVISION = '2025-11-25';
const AT_ONCE = 10;

/** `POST /action/trigger` of a no-op: warm, under load, the first call of a function, and as a tool of an agent. */
export const actionCase: BenchCase = {
  name: 'action',
  run: async (scale) => {
    const { rounds, seconds, requests } = scale;
    const bench = await startBenchServer();
    try {
      await deployNoOp(bench, 'noop');
      const ours = bench.target('/action/trigger', { action_name: 'noop' });
      const hello = { ...ours, url: `${bench.upstream.url}/hello` };
      const warmTimes: number[] = [];
      const warm = await alternate(
        rounds,
        async () => {
          const times = await timesOf(ours, requests);
          warmTimes.push(...times);
          return median(times);
        },
        () => medianLatency(hello, requests),
      );
      const load = await alternate(
        rounds,
        () => throughput(ours, seconds),
        () => throughput(hello, seconds),
      );
      const cold = await coldCalls(bench, rounds * 2);
      return [
        atMost('no-op action, warm p50 (bare Express)', warm, 2.5),
        atMost('no-op action, warm p99', { ours: quantile(warmTimes, 0.99) }, 10),
        atLeast('no-op action, 10 at a time', load, 800),
        atMost('no-op action, first call of a function', { ours: cold, baseline: warm.baseline }, 15),
        await agentRow(bench, ours, scale),
        await queuedRow(bench, scale),
      ];
    } finally {
      await bench.stop();
    }
  },
};

/** Median time of the first call of functions that have never run. */
async function coldCalls(bench: BenchServer, count: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    await deployNoOp(bench, `cold-${i}`);
    const startedAt = performance.now();
    await bench.connection.nango.triggerAction(BENCH_INTEGRATION, 'one', `cold-${i}`);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

/** `nango_execute` of an agent session, compared with the action itself. */
async function agentRow(bench: BenchServer, action: Target, { requests, rounds }: BenchScale): Promise<BenchRow> {
  const tenant = { connections: { pinned: [{ integration_id: BENCH_INTEGRATION, connection_id: 'one' }] } };
  const limits = { calls_per_minute: null };
  const { data: session } = await post(bench.target('/sessions', { tenant, limits }));
  const headers = {
    authorization: `Bearer ${session.session_token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MCP_REVISION,
  };
  const target: Target = {
    url: session.mcp_url,
    method: 'POST',
    headers,
    // The same call again and again would be asked about.
    bodyOf: (n) => rpc('tools/call', { name: 'nango_execute', arguments: { tool: 'bench__noop', input: { n } } }),
  };
  const figures = await alternate(
    rounds,
    () => medianLatency(target, requests),
    () => medianLatency(action, requests),
  );
  return addedAtMost('nango_execute of an agent session, p50 (the action)', figures, 1);
}

/** Actions that nobody waits for: a long queue is worked off as fast as a short one. */
async function queuedRow(bench: BenchServer, { queuedActions: most, rounds }: BenchScale): Promise<BenchRow> {
  const short = Math.ceil(most / 10);
  const figures = await alternate(
    rounds,
    () => queuedPerSecond(bench, most),
    () => queuedPerSecond(bench, short),
  );
  return shareAtLeast(`${most} queued actions (${short} of them)`, figures, 0.9);
}

async function queuedPerSecond(bench: BenchServer, count: number): Promise<number> {
  const { headers, url, ...request } = bench.target('/action/trigger', { action_name: 'noop' });
  const ids: string[] = [];
  const enqueue = async (): Promise<void> => {
    const response = await fetch(url, { ...request, headers: { ...headers, 'x-async': 'true' } });
    if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
    ids.push(((await response.json()) as { id: string }).id);
  };
  const startedAt = performance.now();
  const turns = Array.from({ length: count }).values();
  const inTurn = async (): Promise<void> => {
    for (const _ of turns) await enqueue();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, inTurn));
  for (const id of ids.slice(-AT_ONCE)) {
    const { url: address, ...get } = bench.target(`/action/${id}`);
    await waitFor(async () => (await fetch(address, get)).ok, { what: 'a queued action', limitMs: 120_000 });
  }
  return (count / (performance.now() - startedAt)) * 1000;
}

function rpc(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}

async function post({ url, ...request }: Target): Promise<{ data: { session_token: string; mcp_url: string } }> {
  const response = await fetch(url, request);
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Awaited<ReturnType<typeof post>>;
}

/** Saves a no-op action and waits until it is listed, without calling it. */
export async function deployNoOp(bench: BenchServer, name: string): Promise<void> {
  const source = actionSource('return input;').replace(
    "version: '1.0.0',",
    `$&\n  endpoint: { method: 'GET', path: '/bench/${name}' },`,
  );
  await saveFunction(bench.server.workspace, `${BENCH_INTEGRATION}/actions/${name}.ts`, source);
  const isListed = async (): Promise<boolean> => {
    const configs = (await bench.connection.nango.getScriptsConfig()) as Array<{ actions: Array<{ name: string }> }>;
    return configs.some(({ actions }) => actions.some((action) => action.name === name));
  };
  await waitFor(isListed, { what: `the deployment of ${name}` });
}
