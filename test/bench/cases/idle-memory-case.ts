import { join } from 'node:path';
import { readProcessFacts } from '../../soak/process-facts.ts';
import { generateWorkspace } from '../../support/generated-workspace.ts';
import { startServer } from '../../support/start-server.ts';
import { startBaseline } from '../baseline-process.ts';
import type { BenchCase, BenchRow, BenchScale } from '../bench-case.ts';
import { atMost, shown } from '../bench-row.ts';
import { BENCH_INTEGRATION, startBenchServer, startPersonsServer } from '../bench-server.ts';
import { AFTER_WORK_GOAL_MB, memoryOf, typesChecked } from '../process-memory.ts';
import { deployNoOp } from './action-case.ts';
import { waitUntilLive } from './compile-workspace-case.ts';

const IDLE_GOAL_MB = 120;
const RUNS = 200;
/** Of all functions of the largest workspace. */
const COMPILED_SHARE = 1 / 3;
/** The process that checks types ends at once when it checked more than 100 functions; otherwise it stays for a minute. */
const LEAST_COMPILED = 150;

/** Proportional set size of all processes of a server, some seconds after the start and after functions ran. */
export const idleMemoryCase: BenchCase = {
  name: 'memory',
  run: async (scale) => {
    // Only Linux reports the memory that a process shares with others.
    if (process.platform !== 'linux') return [];
    const { idleMs } = scale;
    const hello = await startBaseline('hello-server');
    const { familyMegabytes: baseline } = await readProcessFacts(hello.pid);
    await hello.stop();
    const served = await startPersonsServer();
    const first = await memoryOf(served, idleMs);
    await served.restart();
    const later = await memoryOf(served, idleMs);
    await served.stop();
    const server = await startServer();
    const bare = await memoryOf(server, idleMs);
    await server.stop();
    return [
      atMost('idle memory (bare Express)', { ours: later, baseline }, IDLE_GOAL_MB, 'MB'),
      shown('the same after the first start, which compiled the starter functions', { ours: first }, 'MB'),
      shown('the same, server alone: no functions, no type checks', { ours: bare }, 'MB'),
      await afterRunsRow(scale),
    ];
  },
};

async function afterRunsRow({ functions: most, idleMs }: BenchScale): Promise<BenchRow> {
  const functions = Math.max(LEAST_COMPILED, Math.ceil(most * COMPILED_SHARE));
  const bench = await startBenchServer();
  try {
    const { server, connection } = bench;
    await deployNoOp(bench, 'noop');
    await generateWorkspace(server.workspace, functions);
    await waitUntilLive(join(server.home, 'homeport.db'), functions, 0);
    await typesChecked(server);
    for (let run = 0; run < RUNS; run += 1) await connection.nango.triggerAction(BENCH_INTEGRATION, 'one', 'noop');
    const what = `memory ${idleMs / 1000} s after ${functions} functions were compiled and ${RUNS} runs ended`;
    return atMost(what, { ours: await memoryOf(server, idleMs) }, AFTER_WORK_GOAL_MB, 'MB');
  } finally {
    await bench.stop();
  }
}
