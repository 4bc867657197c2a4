import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { OfflineData } from '../../server/offline-data.ts';
import { createLogger } from '../../server/platform/lib/logger.ts';
import { builtResources } from '../support/built-resources.ts';
import { connectedFolder, sweep } from './fault-sweep.ts';
import { everyStep, type Outcome, play, stepsOf } from './history.ts';
import type { Step } from './world/acts.ts';
import type { Beginning } from './world/world.ts';
import { WRITES } from './world/writes.ts';

export interface SeedsToRun {
  folder: string;
  facts: Pick<Beginning, 'secretKey' | 'otherKey' | 'environments'> & { first: string };
  from: number;
  count: number;
  /** The run ends after so many. */
  mostFailures: number;
  /** Each history happens twice, which has to be the same. */
  isRepeated: boolean;
  /** A failed history is printed without the steps that it does not need. */
  isShortened: boolean;
  /** The same steps for every seed. Default: each seed has its own. */
  steps?: Step[];
}

/** The world before the first history. */
export async function prepare(folder: string, facts: SeedsToRun['facts']): Promise<Beginning> {
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
  // Modules that the hub loads when it needs them would arrive at a moment that no seed decides.
  await play(0, everyStep(), beginning, join(folder, 'home'));
  return beginning;
}

/** Every fault at every call; resolves to the exit status. */
export async function runSweep(
  options: Pick<SeedsToRun, 'folder' | 'facts'> & { every: number; only: string | undefined },
): Promise<number> {
  const { every, facts, folder, only } = options;
  const beginning = await connectedFolder(await prepare(folder, facts), folder);
  let trials = 0;
  const broken: string[] = [];
  for (const name of Object.keys(WRITES)) {
    if (only !== undefined && name !== only) continue;
    const result = await sweep(name, beginning, join(folder, 'home'), every);
    trials += result.trials;
    broken.push(...result.broken);
    for (const line of result.broken) console.log(`BROKEN: ${line}`);
  }
  console.log(
    `${trials} faults in ${only === undefined ? Object.keys(WRITES).length : 1} writes: ${broken.length} broken`,
  );
  return broken.length > 0 ? 1 : 0;
}

/** Resolves to the exit status. */
export async function runSeeds({
  folder,
  facts,
  from,
  count,
  mostFailures,
  isRepeated,
  isShortened,
  steps,
}: SeedsToRun): Promise<number> {
  const beginning = await prepare(folder, facts);
  const startedAt = process.cpuUsage();
  const failed: Outcome[] = [];
  let played = 0;
  for (let seed = from; seed < from + count; seed++) {
    const playAgain = (use: Step[]): Promise<Outcome> => play(seed, use, beginning, join(folder, 'home'));
    const outcome = await playAgain(steps ?? stepsOf(seed));
    played += 1;
    if (isRepeated && (await playAgain(outcome.steps)).digest !== outcome.digest)
      outcome.violations.push('the same seed gave another history');
    if (outcome.violations.length === 0) continue;
    failed.push(outcome);
    console.log(describe(outcome));
    if (isShortened && outcome.steps.length > 1) console.log(describe(await shorten(outcome, playAgain)));
    if (failed.length >= mostFailures) break;
  }
  const { user, system } = process.cpuUsage(startedAt);
  console.log(
    `${played} seeds from ${from}: ${failed.length} failed; ${Math.round((user + system) / 1000 / played)} ms of processor time each`,
  );
  return failed.length > 0 ? 1 : 0;
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

function describe({ seed, story, violations }: Outcome): string {
  return [
    `seed ${seed}`,
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
