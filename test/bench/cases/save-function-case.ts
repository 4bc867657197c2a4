import { join } from 'node:path';
import { build } from 'esbuild';
import { actionSource, saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { BenchCase } from '../bench-case.ts';
import { BENCH_INTEGRATION, type BenchServer, startBenchServer } from '../bench-server.ts';
import { alternate } from '../measure.ts';

const FILE = `${BENCH_INTEGRATION}/actions/live.ts`;

/** From saving a function file to the first response of the new version, compared with esbuild alone on the same file. */
export const saveFunctionCase: BenchCase = {
  name: 'save',
  run: async ({ rounds }) => {
    const bench = await startBenchServer();
    try {
      let version = 0;
      await saveAndWait(bench, version);
      const result = await alternate(
        rounds * 2,
        () => saveAndWait(bench, ++version),
        () => bundle(bench),
      );
      return [
        {
          what: 'save a function → new version live',
          unit: 'ms',
          ...result,
          goal: '≤ 250 ms',
          isMet: result.ours <= 250,
        },
      ];
    } finally {
      await bench.stop();
    }
  },
};

/** Milliseconds from saving that version to its first answer. */
export async function saveAndWait(bench: BenchServer, version: number): Promise<number> {
  await saveFunction(bench.server.workspace, FILE, actionSource(`return ${version};`));
  const savedAt = performance.now();
  const isLive = async (): Promise<boolean> => {
    const response = await bench.connection.nango.triggerAction<unknown, unknown>(BENCH_INTEGRATION, 'one', 'live');
    return response === version;
  };
  await waitFor(isLive, { what: `version ${version}` });
  return performance.now() - savedAt;
}

async function bundle(bench: BenchServer): Promise<number> {
  const startedAt = performance.now();
  await build({
    entryPoints: [join(bench.server.workspace, FILE)],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    external: ['homeport', 'zod'],
  });
  return performance.now() - startedAt;
}
