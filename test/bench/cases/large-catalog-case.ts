import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generatedProviders } from '../../support/generated-providers.ts';
import { startServer } from '../../support/start-server.ts';
import type { BenchCase } from '../bench-case.ts';
import { alternate } from '../measure.ts';

const ENTRIES = 1_000;

/** A start with a large catalogue of the user's own, read from the parsed cache, compared with a start without one. */
export const largeCatalogCase: BenchCase = {
  name: 'large-catalog',
  run: async ({ rounds }) => {
    const [large, plain] = await Promise.all([startServer({ hasExamples: true }), startServer({ hasExamples: true })]);
    await writeFile(join(large.workspace, 'providers.yaml'), generatedProviders(ENTRIES));
    // Reads the YAML once and caches the result.
    await large.restart();
    const { ours, baseline } = await alternate(
      rounds,
      async () => {
        await large.restart();
        return large.startedInMs;
      },
      async () => {
        await plain.restart();
        return plain.startedInMs;
      },
    );
    await Promise.all([large.stop(), plain.stop()]);
    const what = `start with ${ENTRIES} providers of one's own`;
    return [{ what, unit: 'ms', ours, baseline, goal: '≤ 200 ms more', isMet: ours <= baseline + 200 }];
  },
};
