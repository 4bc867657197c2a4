import { setTimeout as sleep } from 'node:timers/promises';
import { readProcessFacts } from '../../soak/process-facts.ts';
import { startServer } from '../../support/start-server.ts';
import { startBaseline } from '../baseline-process.ts';
import type { BenchCase } from '../bench-case.ts';

const GOAL_MB = 180;

/** Proportional set size of server and function worker, some seconds after the start, before any function ran. */
export const idleMemoryCase: BenchCase = {
  name: 'memory',
  run: async ({ idleMs }) => {
    // Only Linux tells what a process shares with others.
    if (process.platform !== 'linux') return [];
    const server = await startServer();
    const hello = await startBaseline('hello-server');
    try {
      await sleep(idleMs);
      const { familyMegabytes: ours } = await readProcessFacts(server.pid);
      const { familyMegabytes: baseline } = await readProcessFacts(hello.pid);
      return [{ what: 'idle memory', unit: 'MB', ours, baseline, goal: `≤ ${GOAL_MB} MB`, isMet: ours <= GOAL_MB }];
    } finally {
      await hello.stop();
      await server.stop();
    }
  },
};
