import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadBuiltinCatalog } from '../../../server/integrations/catalog/builtin-catalog.ts';
import { builtResources } from '../../support/built-resources.ts';
import { FOREIGN_ENTRIES, foreignCatalog } from '../../support/foreign-catalog.ts';
import { generatedProviders } from '../../support/generated-providers.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import type { BenchCase, BenchRow } from '../bench-case.ts';
import { alternate } from '../measure.ts';

const ENTRIES = 1_000;
/** Starts on either side. */
const STARTS = 7;

/** A start with a large catalogue of the user's own, read from the parsed cache, compared with a start without one. */
export const largeCatalogCase: BenchCase = {
  name: 'large-catalog',
  run: async (scale) => {
    const rounds = scale.rounds === 1 ? 1 : STARTS;
    const plain = await startServer({ hasExamples: true });
    const builtin = await loadBuiltinCatalog((await builtResources()).catalog);
    const rows = [
      await measureStart({
        plain,
        rounds,
        text: generatedProviders(ENTRIES),
        what: `start with ${ENTRIES} providers of one's own`,
        mostMs: 200,
      }),
      await measureStart({
        plain,
        rounds,
        text: foreignCatalog(builtin),
        what: `start with a foreign catalogue of ${FOREIGN_ENTRIES} providers`,
        mostMs: 400,
      }),
    ];
    await plain.stop();
    return rows;
  },
};

interface StartWithFile {
  plain: StartedServer;
  rounds: number;
  text: string;
  what: string;
  /** More than the start without the file. */
  mostMs: number;
}

async function measureStart({ mostMs, plain, rounds, text, what }: StartWithFile): Promise<BenchRow> {
  const large = await startServer({ hasExamples: true });
  await writeFile(join(large.workspace, 'providers.yaml'), text);
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
  await large.stop();
  return { what, unit: 'ms', ours, baseline, goal: `≤ ${mostMs} ms more`, isMet: ours <= baseline + mostMs };
}
