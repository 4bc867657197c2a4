import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { OfflineData } from '../../server/offline-data.ts';
import { createLogger } from '../../server/platform/lib/logger.ts';
import { builtResources } from '../support/built-resources.ts';
import { connectedFolder, type Sweep, sample, sweep } from './fault-sweep.ts';
import { everyStep, type Outcome, play } from './history.ts';
import type { Trace } from './machine.ts';
import { setCompiled } from './seams/compiled-before.ts';
import type { Step } from './world/acts.ts';
import { stepsText } from './world/steps.ts';
import { readCompiled } from './world/workspace-acts.ts';
import type { Beginning } from './world/world.ts';
import { WRITES } from './world/writes.ts';

/** One history to play. */
export interface Task {
  seed: number;
  steps: Step[];
  /** What it found once. */
  fault?: string;
}

/** What the maker of the first folder says about it, and where it is. */
export type Facts = Pick<Beginning, 'secretKey' | 'otherKey' | 'environments'> & { first: string };

interface Start {
  /** For the files of this process. */
  folder: string;
  beginning: Beginning;
}

interface TasksToRun extends Start {
  tasks: readonly Task[];
  /** The run ends after so many. */
  mostFailures: number;
  /** Each history happens twice, which has to be the same. */
  isRepeated: boolean;
  /** Real time goes by in the middle of the second one. */
  isPaused: boolean;
  /** Weeks: see `calmDown`. */
  isShort: boolean;
  /** A failed history is printed without the steps that it does not need. */
  isShortened: boolean;
}

/** Histories between two lines about the progress. */
const PROGRESS_EVERY = 100;

/** Longer than any library keeps a connection that nobody uses. */
const PAUSE_MS = 5_000;
/** Entries of a trace between two pauses. */
const PAUSE_EVERY = 12_000;

/** Now and then nothing happens for a while, as in a process that was stopped: real time goes by. */
class PausedTrace extends Array<string | number> {
  override push(...entries: Array<string | number>): number {
    const before = Math.floor(this.length / PAUSE_EVERY);
    const length = super.push(...entries);
    if (Math.floor(length / PAUSE_EVERY) > before)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    return length;
  }
}

/** Entries of a trace at each side of a difference. */
const TRACE_SHOWN = 12;

/** The world before the first history. */
export async function prepare(folder: string, facts: Facts): Promise<Beginning> {
  const catalog = join(folder, 'catalog.json');
  writeFileSync(catalog, '{}');
  const built = await builtResources();
  const guestCode = await built.readGuestCode();
  const beginning: Beginning = {
    ...facts,
    folder: facts.first,
    modules: { startApp, readConfig, createLogger, OfflineData },
    resources: { ...built, catalog, readGuestCode: async () => guestCode, guestSnapshot: '/nowhere' },
  };
  setCompiled(readCompiled(facts.first));
  // Modules that the hub loads when it needs them would arrive at a moment that no seed decides.
  await play(0, everyStep(), beginning, join(folder, 'home'));
  return beginning;
}

interface FaultsToTry extends Start {
  /** Every so many-th call. */
  every: number;
  /** A regular expression over the names of the writes. */
  only: string | undefined;
  /** `2/4`: the second of four parts of the writes. */
  part: string;
  /** In the place of all: so many, chosen by the seed `from`. */
  sampled: number;
  from: number;
}

/** Every fault at every call; resolves to the exit status. */
export async function runSweep({
  every,
  beginning: first,
  folder,
  from,
  only,
  part,
  sampled,
}: FaultsToTry): Promise<number> {
  const beginning = await connectedFolder(first, folder);
  const home = join(folder, 'home');
  const [own = 1, parts = 1] = part.split('/').map(Number);
  const names = Object.keys(WRITES)
    .filter((name) => only === undefined || new RegExp(only).test(name))
    .filter((_, index) => index % parts === own - 1);
  let trials = 0;
  let broken = 0;
  const add = (result: Sweep): void => {
    trials += result.trials;
    broken += result.broken.length;
    for (const line of result.broken) console.log(`BROKEN: ${line}`);
  };
  if (sampled > 0) add(await sample(sampled, from, beginning, home));
  else for (const name of names) add(await sweep(name, beginning, home, every));
  const of = sampled > 0 ? `chosen by seed ${from}` : `in ${names.length} writes`;
  console.log(`${trials} faults ${of}: ${broken} broken`);
  return broken > 0 ? 1 : 0;
}

/** Resolves to the exit status. */
export async function runTasks({
  folder,
  beginning,
  tasks,
  mostFailures,
  isRepeated,
  isPaused,
  isShort,
  isShortened,
}: TasksToRun): Promise<number> {
  const startedAt = process.cpuUsage();
  let failed = 0;
  let played = 0;
  const eachMs = (): number => {
    const { user, system } = process.cpuUsage(startedAt);
    return Math.round((user + system) / 1000 / played);
  };
  for (const { seed, steps, fault } of tasks) {
    const playAgain = (use: Step[], trace?: Trace): Promise<Outcome> =>
      play(seed, use, beginning, join(folder, 'home'), { isShort, trace });
    const first: Trace | undefined = isRepeated ? [] : undefined;
    const outcome = await playAgain(steps, first);
    played += 1;
    let isOther = false;
    if (first) {
      const second: Trace = isPaused ? new PausedTrace() : [];
      await playAgain(steps, second);
      const difference = differenceOf(first, second);
      isOther = difference !== undefined;
      if (isOther) outcome.violations.push(`the same seed gave another history: ${difference}`);
    }
    if (played % PROGRESS_EVERY === 0 && played < tasks.length)
      console.log(`${played} of ${tasks.length} histories, ${failed} failed, ${eachMs()} ms each`);
    if (outcome.violations.length === 0) continue;
    failed += 1;
    if (fault !== undefined) console.log(`Found once before: ${fault}`);
    console.log(describe(outcome));
    if (isShortened && !isOther && outcome.steps.length > 1) console.log(describe(await shorten(outcome, playAgain)));
    if (failed >= mostFailures) break;
  }
  const [first] = tasks;
  console.log(`${played} histories from seed ${first?.seed}: ${failed} failed; ${eachMs()} ms of processor time each`);
  return failed > 0 ? 1 : 0;
}

/** Where the second history leaves the first one; undefined when they are equal. */
function differenceOf(first: Trace, second: Trace): string | undefined {
  const at = first.findIndex((one, index) => one !== second[index]);
  if (at < 0 && first.length === second.length) return undefined;
  const from = at < 0 ? first.length : at;
  const shownOf = (trace: Trace): string => trace.slice(from, from + TRACE_SHOWN).join(' | ');
  const before = first.slice(Math.max(0, from - TRACE_SHOWN), from).join(' | ');
  return `after ${before}: ${shownOf(first)}; then ${shownOf(second)}`;
}

/** Leaves out steps, half of them at first, while something stays broken. */
async function shorten(outcome: Outcome, playAgain: (steps: Step[]) => Promise<Outcome>): Promise<Outcome> {
  let shortest = outcome;
  for (let size = Math.ceil(outcome.steps.length / 2); size >= 1; size = Math.floor(size / 2))
    for (let start = 0; start < shortest.steps.length; ) {
      const steps = shortest.steps.filter((_, index) => index < start || index >= start + size);
      const tried = steps.length < shortest.steps.length ? await playAgain(steps) : shortest;
      if (tried !== shortest && tried.violations.length > 0) shortest = tried;
      else start += size;
    }
  return shortest;
}

function describe({ seed, steps, story, violations }: Outcome): string {
  return [
    `seed ${seed}`,
    `  again: npm run simulate -- --from ${seed} --seeds 1 --steps "${stepsText(steps)}"`,
    ...story.map((line) => `  ${shown(line)}`),
    ...violations.map((text) => `  BROKEN: ${text}`),
  ].join('\n');
}

/** A line of the program's log is JSON with a stack. */
function shown(line: string): string {
  if (!line.startsWith('{')) return line;
  const { err, msg } = JSON.parse(line) as { err?: { message?: string }; msg?: string };
  return `log: ${msg ?? ''} ${err?.message ?? ''}`.slice(0, 250);
}
