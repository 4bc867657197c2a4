import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from '../../support/start-server.ts';
import { startBaseline } from '../baseline-process.ts';
import type { BenchCase } from '../bench-case.ts';
import { residentMegabytes } from '../process-memory.ts';

const GOAL_MB = 220;

/** Resident memory of server and function worker, some seconds after the start, before any function ran. */
export const idleMemoryCase: BenchCase = {
  name: 'memory',
  run: async ({ idleMs }) => {
    const server = await startServer();
    const hello = await startBaseline('hello-server');
    try {
      await sleep(idleMs);
      const ours = await residentMegabytes(server.pid);
      const baseline = await residentMegabytes(hello.pid);
      if (ours === undefined || baseline === undefined) return [];
      return [{ what: 'idle memory', unit: 'MB', ours, baseline, goal: `≤ ${GOAL_MB} MB`, isMet: ours <= GOAL_MB }];
    } finally {
      await hello.stop();
      await server.stop();
    }
  },
};
