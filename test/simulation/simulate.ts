import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MENDS } from './mends.ts';
import { PUSH, partLine } from './push.ts';
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
  /** So many processes play at once. */
  processes: { type: 'string', default: '1' },
  /** A process plays so many seeds, then a new one goes on: what Node keeps of ended histories goes with it. */
  batch: { type: 'string', default: '500' },
  /** Where the data folder with which every history begins is kept for the next run; default: nowhere. */
  first: { type: 'string' },
  /** What `npm test` plays (`push.ts`). */
  push: { type: 'boolean', default: false },
  /** Each history must happen the same way once more. */
  twice: { type: 'boolean', default: false },
  /** With `twice`: the second time the process stands still for some seconds, which must change nothing. */
  pauses: { type: 'boolean', default: false },
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
/** What a batch prints at its end, and meanwhile (`run-seeds.ts`). */
const OUTCOME = /^(\d+) histories from seed \d+: (\d+) failed; (\d+) ms/;
const PROGRESS = /^\d+ of \d+ histories, /;
/** Above the seeds that people choose, and of those of the nightly runs. */
const RANDOM_FROM = 2_000_000_000;

interface SeedRange {
  from: number;
  seeds: number;
}

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
const randomFrom = RANDOM_FROM + Math.floor(Math.random() * RANDOM_FROM);
const fixed: SeedRange = { from: Number(values.from), seeds: values.push ? PUSH.weeks : Number(values.seeds) };
const random: SeedRange = { from: randomFrom, seeds: values.push ? PUSH.weeks : Number(values.random) };
if (random.seeds > 0) console.log(`random seeds: ${random.seeds} from ${randomFrom}`);
const ranges = [fixed, random];
/** The run ends after so many. */
const mostFailures = values.without === undefined ? 10 : 1;
process.exitCode =
  !values.faults && (Number(values.processes) > 1 || ranges.some(({ seeds }) => seeds > Number(values.batch)))
    ? await runInProcesses()
    : await runHere();

async function runHere(): Promise<number> {
  const mend = values.without === undefined ? undefined : MENDS[values.without];
  if (values.without !== undefined && !mend)
    throw new Error(`No mend is called ${values.without}: ${Object.keys(MENDS).join(', ')}`);
  registerSeams(mend?.changes);
  // The hub's modules are loaded behind the seams.
  const { prepare, runSweep, runTasks } = await import('./run-seeds.ts');
  const { stepsOf } = await import('./history.ts');
  const { stepsFrom } = await import('./world/steps.ts');
  const { FOUND } = await import('./found.ts');
  const start = { folder, beginning: await prepare(folder, { ...JSON.parse(readFileSync(factsFile, 'utf8')), first }) };
  const text = values.steps ?? mend?.steps;
  const given = text === undefined ? undefined : stepsFrom(text);
  const playFaults = (sampled: number) =>
    runSweep({
      ...start,
      every: Number(values.every),
      only: values.only,
      part: values.part,
      sampled,
      from: Number(values.from),
    });
  const playHistories = (played: readonly SeedRange[], isShort: boolean, isFound: boolean, isRepeated: boolean) => {
    const seeds = played.flatMap(({ from, seeds: count }) => range(from, count));
    return runTasks({
      ...start,
      tasks: [
        ...(isFound ? FOUND.map((one) => ({ ...one, steps: stepsFrom(one.steps) })) : []),
        ...seeds.map((seed) => ({ seed, steps: given ?? stepsOf(seed, isShort) })),
      ],
      mostFailures,
      isRepeated,
      isPaused: values.pauses,
      isShort,
      isShortened: !mend,
    });
  };
  if (!values.push)
    return values.faults
      ? playFaults(Number(values.sample))
      : playHistories(ranges, values.short, values.found, values.twice);
  const others = playBatch(random, ['--short']);
  console.log(partLine('months'));
  const months = await playHistories([{ from: 1, seeds: PUSH.months }], false, false, true);
  console.log(partLine('faults'));
  const faults = await playFaults(PUSH.faults);
  console.log(partLine('weeks'));
  const weeks = await playHistories([fixed], true, true, false);
  const { status, played, failed, eachMs } = await others;
  console.log(outcomeLine(random.from, { played, failed, eachMs }));
  return Math.max(months, faults, weeks, status);
}

/** One batch after the other, so many at once, with the same first folder. */
async function runInProcesses(): Promise<number> {
  const size = Number(values.batch);
  const batches = ranges.flatMap(({ from, seeds }) =>
    range(0, Math.ceil(seeds / size)).map((index) => ({
      from: from + index * size,
      seeds: Math.min(size, seeds - index * size),
    })),
  );
  const all = batches.reduce((sum, { seeds }) => sum + seeds, 0);
  const [firstBatch] = batches;
  const sum = { played: 0, failed: 0, ms: 0 };
  let status = 0;
  const playOn = async (): Promise<void> => {
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      // The histories of `found.ts` are in the first one.
      const same = (['short', 'twice', 'pauses'] as const).flatMap((name) => (values[name] ? [`--${name}`] : []));
      const texts = (['steps', 'without'] as const).flatMap((name) =>
        values[name] ? [`--${name}`, values[name]] : [],
      );
      const isFound = values.found && batch === firstBatch;
      const outcome = await playBatch(batch, [...same, ...texts, ...(isFound ? ['--found'] : [])]);
      status = Math.max(status, outcome.status);
      sum.played += outcome.played;
      sum.failed += outcome.failed;
      sum.ms += outcome.played * outcome.eachMs;
      // A batch that ends otherwise has no outcome.
      if (sum.failed >= mostFailures || status > 1) return;
      if (sum.played < all)
        console.log(`${sum.played} of ${all} histories, ${sum.failed} failed, ${each(sum)} ms each`);
    }
  };
  await Promise.all(range(0, Number(values.processes)).map(playOn));
  console.log(outcomeLine(fixed.from, { ...sum, eachMs: each(sum) }));
  return status;
}

function outcomeLine(from: number, { played, failed, eachMs }: Omit<BatchOutcome, 'status'>): string {
  return `${played} histories from seed ${from}: ${failed} failed; ${eachMs} ms of processor time each`;
}

function each({ ms, played }: { ms: number; played: number }): number {
  return Math.round(ms / Math.max(played, 1));
}

interface BatchOutcome {
  status: number;
  played: number;
  failed: number;
  eachMs: number;
}

/** Plays the seeds in a process of its own, and prints what it prints about them. */
function playBatch({ from, seeds }: SeedRange, options: readonly string[]): Promise<BatchOutcome> {
  const own = ['--first', first, '--from', String(from), '--seeds', String(seeds), '--batch', String(seeds)];
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...own, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const outcome: BatchOutcome = { status: 1, played: 0, failed: 0, eachMs: 0 };
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const [, played, failed, eachMs] = OUTCOME.exec(line) ?? [];
    if (played !== undefined)
      Object.assign(outcome, { played: Number(played), failed: Number(failed), eachMs: Number(eachMs) });
    else if (!PROGRESS.test(line)) console.log(line);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status, signal) => {
      if (outcome.played === 0) console.log(`the histories from seed ${from} on ended with ${status ?? signal}`);
      resolve({ ...outcome, status: outcome.played === 0 ? 2 : (status ?? 2) });
    });
  });
}

function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}
