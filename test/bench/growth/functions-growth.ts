import { join } from 'node:path';
import { generateWorkspace } from '../../support/generated-workspace.ts';
import { startBenchServer } from '../bench-server.ts';
import { deployNoOp } from '../cases/action-case.ts';
import { waitUntilLive } from '../cases/compile-workspace-case.ts';
import { saveAndWait } from '../cases/save-function-case.ts';
import { medianLatency } from '../measure.ts';
import { memoryOf } from '../process-memory.ts';
import { medianOf, startAgain } from './grown-hub.ts';
import type { GrowthCase } from './growth-case.ts';

export const functionsGrowth: GrowthCase = {
  of: 'functions',
  sizesOf: ({ functions }) => [2, 200, Math.max(functions, 300)],
  open: async ({ idleMs, requests, rounds }) => {
    const bench = await startBenchServer();
    await deployNoOp(bench, 'noop');
    let version = 0;
    const action = bench.target('/action/trigger', { action_name: 'noop' });
    const list = bench.target('/scripts/config');
    return {
      grow: async (size) => {
        await generateWorkspace(bench.server.workspace, size);
        await waitUntilLive(join(bench.server.home, 'homeport.db'), size, 0);
      },
      measures: [
        { what: 'start', unit: 'ms', measure: () => startAgain(bench.server, rounds) },
        { what: 'memory, idle after a start', unit: 'MB', measure: () => memoryOf(bench.server, idleMs) },
        { what: 'an action, p50', unit: 'ms', measure: () => medianLatency(action, requests) },
        { what: 'save → live', unit: 'ms', measure: () => medianOf(rounds, () => saveAndWait(bench, ++version)) },
        { what: 'the list of all functions', unit: 'ms', measure: () => medianLatency(list, rounds) },
      ],
      stop: () => bench.stop(),
    };
  },
};
