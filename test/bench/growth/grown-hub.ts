import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StartedServer } from '../../support/start-server.ts';
import { median } from '../measure.ts';

const TICKS_PER_SECOND = 100;

export async function medianOf(rounds: number, measure: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let round = 0; round < rounds; round++) values.push(await measure());
  return median(values);
}

/** Median time of a start, in ms. */
export function startAgain(server: StartedServer, rounds: number): Promise<number> {
  return medianOf(rounds, async () => {
    await server.restart();
    return server.startedInMs;
  });
}

/** Processor time of the server in ms, for each second of that time. */
export async function busyMs({ pid }: StartedServer, forMs: number): Promise<number> {
  const before = await processorMs(pid);
  await sleep(forMs);
  return ((await processorMs(pid)) - before) / (forMs / 1000);
}

/** From /proc, so on Linux only. */
async function processorMs(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may contain spaces.
  const [user, system] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (((user ?? 0) + (system ?? 0)) / TICKS_PER_SECOND) * 1000;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
