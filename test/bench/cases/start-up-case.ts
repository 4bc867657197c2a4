import { startServer } from '../../support/start-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startBaseline } from '../baseline-process.ts';
import type { BenchCase } from '../bench-case.ts';
import { alternate, median } from '../measure.ts';

/** From the start of the process to the first 200: with an empty data folder (cold) and an existing one (warm). */
export const startUpCase: BenchCase = {
  name: 'start',
  run: async ({ rounds }) => {
    const cold: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const fresh = await startServer({ hasExamples: true });
      cold.push(fresh.startedInMs);
      await fresh.stop();
    }
    const server = await startServer({ hasExamples: true });
    const warm = await alternate(
      rounds,
      async () => {
        await server.restart();
        return server.startedInMs;
      },
      startHello,
    );
    await server.stop();
    return [
      { what: 'start to /health, warm', unit: 'ms', ...warm, goal: '≤ 500 ms', isMet: warm.ours <= 500 },
      { what: 'start to /health, first start', unit: 'ms', ours: median(cold), baseline: warm.baseline, goal: '' },
    ];
  },
};

async function startHello(): Promise<number> {
  const startedAt = performance.now();
  const hello = await startBaseline('hello-server');
  await waitFor(async () => (await fetch(`${hello.url}/hello`)).status === 200);
  const elapsedMs = performance.now() - startedAt;
  await hello.stop();
  return elapsedMs;
}
