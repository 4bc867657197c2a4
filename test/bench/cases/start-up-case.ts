import { startServer } from '../../support/start-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startBaseline } from '../baseline-process.ts';
import type { BenchCase } from '../bench-case.ts';
import { atMost, shown } from '../bench-row.ts';
import { startPersonsServer } from '../bench-server.ts';
import { alternate, median } from '../measure.ts';

const GOAL_MS = 400;

/** From the start of the process to the first 200: with an existing data folder, and with none yet. */
export const startUpCase: BenchCase = {
  name: 'start',
  run: async ({ rounds }) => {
    const first: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const fresh = await startPersonsServer();
      first.push(fresh.startedInMs);
      await fresh.stop();
    }
    const served = await measureStarts(await startPersonsServer(), rounds);
    const bare = await measureStarts(await startServer(), rounds);
    return [
      atMost('start to /health (bare Express)', served, GOAL_MS),
      shown('the same, first start with a data folder', { ours: median(first), baseline: served.baseline }),
      shown('the same, server alone: no launcher, no functions, no type checks', bare),
    ];
  },
};

/** Restarts a server, which it stops at the end, and starts a bare Express in turn. */
export async function measureStarts(
  server: Awaited<ReturnType<typeof startServer>>,
  rounds: number,
): Promise<{ ours: number; baseline: number }> {
  try {
    return await alternate(
      rounds * 2,
      async () => {
        await server.restart();
        return server.startedInMs;
      },
      startHello,
    );
  } finally {
    await server.stop();
  }
}

async function startHello(): Promise<number> {
  const startedAt = performance.now();
  const hello = await startBaseline('hello-server');
  await waitFor(async () => (await fetch(`${hello.url}/hello`)).status === 200);
  const elapsedMs = performance.now() - startedAt;
  await hello.stop();
  return elapsedMs;
}
