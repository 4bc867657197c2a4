import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MENDS } from './mends.ts';
import { registerSeams } from './seams/hooks.ts';

/** `npm run simulate -- --seeds 10000`: plays histories, and prints those that break a promise. */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    /** The first seed; default: 1. */
    from: { type: 'string', default: '1' },
    /** Where the data folder with which every history begins is kept for the next run; default: nowhere. */
    first: { type: 'string' },
    /** Takes a mend out (`mends.ts`); the run ends with the first seed that finds it. */
    /** Each history must happen the same way once more. */
    twice: { type: 'boolean', default: false },
    /** In the place of histories: every `every`-th call of each public write fails, or of the one that `only` names. */
    faults: { type: 'boolean', default: false },
    every: { type: 'string', default: '1' },
    only: { type: 'string' },
    without: { type: 'string' },
  },
});
const base = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const folder = join(base, `homeport-simulation-${process.pid}`);
mkdirSync(folder, { recursive: true });
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const mend = values.without === undefined ? undefined : MENDS[values.without];
if (values.without !== undefined && !mend)
  throw new Error(`No mend is called ${values.without}: ${Object.keys(MENDS).join(', ')}`);
registerSeams(mend?.changes);
const first = values.first ?? join(folder, 'first');
const factsFile = `${first}.json`;
if (!existsSync(factsFile)) {
  const maker = fileURLToPath(new URL('./world/first-folder.ts', import.meta.url));
  writeFileSync(factsFile, execFileSync(process.execPath, [maker, first], { encoding: 'utf8' }));
}
const { runSeeds, runSweep } = await import('./run-seeds.ts');
const facts = { ...JSON.parse(readFileSync(factsFile, 'utf8')), first };
process.exitCode = values.faults
  ? await runSweep({ folder, facts, every: Number(values.every), only: values.only })
  : await runSeeds({
      folder,
      facts,
      from: Number(values.from),
      count: Number(values.seeds),
      mostFailures: mend ? 1 : 10,
      isRepeated: values.twice,
      isShortened: !mend,
      ...(mend?.steps ? { steps: mend.steps } : {}),
    });
