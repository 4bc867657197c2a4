import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MENDS } from './mends.ts';
import { registerSeams } from './seams/hooks.ts';

/** `npm run simulate -- --seeds 10000`: plays histories, and prints those that break a promise. */
const OPTIONS = {
  seeds: { type: 'string', default: '100' },
  /** The first seed. */
  from: { type: 'string', default: '1' },
  /** So many more seeds that nobody chose; they are printed. */
  random: { type: 'string', default: '0' },
  /** The same steps for every seed (`world/steps.ts`), in the place of its own. */
  steps: { type: 'string' },
  /** Histories of about a week instead of a month. */
  short: { type: 'boolean', default: false },
  /** Plays the histories of `found.ts`, too. */
  found: { type: 'boolean', default: false },
  /** Splits the seeds over so many processes. */
  processes: { type: 'string', default: '1' },
  /** Where the data folder with which every history begins is kept for the next run; default: nowhere. */
  first: { type: 'string' },
  /** Each history must happen the same way once more. */
  twice: { type: 'boolean', default: false },
  /** Takes a mend out (`mends.ts`); the run ends with the first seed that finds it. */
  without: { type: 'string' },
  /** In the place of histories: every `every`-th call of each public write fails, or of those that `only` matches. */
  faults: { type: 'boolean', default: false },
  every: { type: 'string', default: '1' },
  only: { type: 'string' },
  /** With `faults`: `2/4` for the second of four parts of the writes. */
  part: { type: 'string', default: '1/1' },
  /** With `faults`: so many of all of them, chosen by the seed `from`. */
  sample: { type: 'string', default: '0' },
} as const;
/** Above the seeds that people choose, and of those of the nightly runs. */
const RANDOM_FROM = 2_000_000_000;

const { values } = parseArgs({ options: OPTIONS });
const base = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const folder = join(base, `homeport-simulation-${process.pid}`);
mkdirSync(folder, { recursive: true });
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const first = values.first ?? join(folder, 'first');
const factsFile = `${first}.json`;
if (!existsSync(factsFile)) {
  const maker = fileURLToPath(new URL('./world/first-folder.ts', import.meta.url));
  writeFileSync(factsFile, execFileSync(process.execPath, [maker, first], { encoding: 'utf8' }));
}
process.exitCode = Number(values.processes) > 1 ? await runInProcesses() : await runHere();

async function runHere(): Promise<number> {
  const mend = values.without === undefined ? undefined : MENDS[values.without];
  if (values.without !== undefined && !mend)
    throw new Error(`No mend is called ${values.without}: ${Object.keys(MENDS).join(', ')}`);
  registerSeams(mend?.changes);
  // The hub's modules are loaded behind the seams.
  const { runSweep, runTasks } = await import('./run-seeds.ts');
  const start = { folder, facts: { ...JSON.parse(readFileSync(factsFile, 'utf8')), first } };
  if (values.faults)
    return runSweep({
      ...start,
      every: Number(values.every),
      only: values.only,
      part: values.part,
      sampled: Number(values.sample),
      from: Number(values.from),
    });
  const { stepsOf } = await import('./history.ts');
  const { stepsFrom } = await import('./world/steps.ts');
  const { FOUND } = await import('./found.ts');
  const text = values.steps ?? mend?.steps;
  const given = text === undefined ? undefined : stepsFrom(text);
  const randomFrom = RANDOM_FROM + Math.floor(Math.random() * RANDOM_FROM);
  if (Number(values.random) > 0) console.log(`random seeds: ${values.random} from ${randomFrom}`);
  const found = values.found ? FOUND.map((one) => ({ ...one, steps: stepsFrom(one.steps) })) : [];
  const seeds = [...range(Number(values.from), Number(values.seeds)), ...range(randomFrom, Number(values.random))];
  return runTasks({
    ...start,
    tasks: [...found, ...seeds.map((seed) => ({ seed, steps: given ?? stepsOf(seed, values.short) }))],
    mostFailures: mend ? 1 : 10,
    isRepeated: values.twice,
    isShortened: !mend,
  });
}

/** Each process plays a part of the seeds, with the same first folder. */
async function runInProcesses(): Promise<number> {
  const count = Number(values.processes);
  const seeds = Number(values.seeds);
  const { from, seeds: _, processes: __, first: ___, ...others } = values;
  const same = Object.entries(others).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : typeof value === 'string' ? [`--${name}`, value] : [],
  );
  const statuses = await Promise.all(
    range(0, count).map((index) => {
      const begin = Math.floor((seeds * index) / count);
      const own = ['--from', String(Number(from) + begin)];
      own.push('--seeds', String(Math.floor((seeds * (index + 1)) / count) - begin));
      const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--first', first, ...own, ...same], {
        stdio: 'inherit',
      });
      return new Promise<number>((resolve) => child.once('close', (status) => resolve(status ?? 1)));
    }),
  );
  return Math.max(...statuses);
}

function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}
