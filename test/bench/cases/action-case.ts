import { actionSource, saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { BenchCase } from '../bench-case.ts';
import { BENCH_INTEGRATION, type BenchServer, startBenchServer } from '../bench-server.ts';
import { alternate, median, medianLatency, throughput } from '../measure.ts';

/** `POST /action/trigger` of a no-op: warm, under load, and the first call of a function. */
export const actionCase: BenchCase = {
  name: 'action',
  run: async ({ rounds, seconds, requests }) => {
    const bench = await startBenchServer();
    try {
      await deployNoOp(bench, 'noop');
      const ours = bench.target('/action/trigger', { action_name: 'noop' });
      const hello = { ...ours, url: `${bench.upstream.url}/hello` };
      const warm = await alternate(
        rounds,
        () => medianLatency(ours, requests),
        () => medianLatency(hello, requests),
      );
      const load = await alternate(
        rounds,
        () => throughput(ours, seconds),
        () => throughput(hello, seconds),
      );
      const cold = await coldCalls(bench, rounds * 2);
      return [
        { what: 'no-op action, warm p50', unit: 'ms', ...warm, goal: '≤ 3.5 ms', isMet: warm.ours <= 3.5 },
        {
          what: 'no-op action, first call',
          unit: 'ms',
          ours: cold,
          baseline: warm.baseline,
          goal: '≤ 15 ms',
          isMet: cold <= 15,
        },
        { what: 'no-op action, 10 at a time', unit: '/s', ...load, goal: '≥ 600 /s', isMet: load.ours >= 600 },
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

/** Saves a no-op action and waits until it is listed, without calling it. */
export async function deployNoOp(bench: BenchServer, name: string): Promise<void> {
  await saveFunction(bench.server.workspace, `${BENCH_INTEGRATION}/actions/${name}.ts`, actionSource('return input;'));
  const isListed = async (): Promise<boolean> => {
    const configs = (await bench.connection.nango.getScriptsConfig()) as Array<{ actions: Array<{ name: string }> }>;
    return configs.some(({ actions }) => actions.some((action) => action.name === name));
  };
  await waitFor(isListed, { what: `the deployment of ${name}` });
}
