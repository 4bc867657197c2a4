import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProcessFacts } from '../../soak/process-facts.ts';
import { generateWorkspace } from '../../support/generated-workspace.ts';
import { startServer } from '../../support/start-server.ts';
import { startBaseline } from '../baseline-process.ts';
import type { BenchCase, BenchRow, BenchScale } from '../bench-case.ts';
import { BENCH_INTEGRATION, startBenchServer } from '../bench-server.ts';
import { deployNoOp } from './action-case.ts';
import { waitUntilLive } from './compile-workspace-case.ts';

const GOAL_MB = 180;
const AFTER_RUNS_GOAL_MB = 300;
const RUNS = 200;

/** Proportional set size of all processes of a server, some seconds after the start and after functions ran. */
export const idleMemoryCase: BenchCase = {
  name: 'memory',
  run: async (scale) => {
    const { idleMs } = scale;
    // Only Linux reports the memory that a process shares with others.
    if (process.platform !== 'linux') return [];
    const server = await startServer({ hasExamples: true });
    const hello = await startBaseline('hello-server');
    try {
      await sleep(idleMs);
      const { familyMegabytes: ours } = await readProcessFacts(server.pid);
      const { familyMegabytes: baseline } = await readProcessFacts(hello.pid);
      const idle: BenchRow = {
        what: 'idle memory',
        unit: 'MB',
        ours,
        baseline,
        goal: `≤ ${GOAL_MB} MB`,
        isMet: ours <= GOAL_MB,
      };
      return [idle, await afterRunsRow(scale)];
    } finally {
      await hello.stop();
      await server.stop();
    }
  },
};

async function afterRunsRow({ growthFunctions: functions, idleMs }: BenchScale): Promise<BenchRow> {
  const bench = await startBenchServer();
  try {
    const { server, connection } = bench;
    await generateWorkspace(server.workspace, functions);
    await waitUntilLive(join(server.home, 'homeport.db'), functions, 0);
    await deployNoOp(bench, 'noop');
    for (let run = 0; run < RUNS; run += 1) await connection.nango.triggerAction(BENCH_INTEGRATION, 'one', 'noop');
    await sleep(idleMs);
    const { familyMegabytes: ours } = await readProcessFacts(server.pid);
    return {
      what: `memory ${idleMs / 1000} s after ${functions} functions were compiled and ${RUNS} runs ended`,
      unit: 'MB',
      ours,
      goal: `≤ ${AFTER_RUNS_GOAL_MB} MB`,
      isMet: ours <= AFTER_RUNS_GOAL_MB,
    };
  } finally {
    await bench.stop();
  }
}
