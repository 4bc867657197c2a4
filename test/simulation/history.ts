import type { Trace } from './machine.ts';
import { Random } from './seams/random.ts';
import { realFiles } from './seams/simulated-files.ts';
import { ACT_ROWS, type ActName, type Step } from './world/acts.ts';
import { calmDown } from './world/calm.ts';
import { startAgain } from './world/start-again.ts';
import { type Beginning, World } from './world/world.ts';

export interface Outcome {
  seed: number;
  steps: Step[];
  /** What happened, step by step. */
  story: string[];
  violations: string[];
}

/** Pieces of work that an overlapping step gets before the next one begins; a whole connection takes about 200. */
const MOST_OVERLAP = 150;
const NAMES = Object.keys(ACT_ROWS) as ActName[];
const TOTAL = NAMES.reduce((sum, name) => sum + ACT_ROWS[name].weight, 0);

/** The steps of a seed: about thirty days, of which most are slept through; about a week when it is short. */
export function stepsOf(seed: number, isShort = false): Step[] {
  const random = new Random(seed);
  const count = isShort ? 3 + random.below(6) : 12 + random.below(25);
  return Array.from({ length: count }, () => ({
    act: pickAct(random),
    pick: random.below(1000),
    isOverlapping: random.chance(0.35),
  }));
}

/** Every act once. */
export function everyStep(): Step[] {
  return NAMES.map((act, pick) => ({ act, pick, isOverlapping: false }));
}

function pickAct(random: Random): ActName {
  let left = random.below(TOTAL);
  for (const name of NAMES) {
    left -= ACT_ROWS[name].weight;
    if (left < 0) return name;
  }
  return 'read';
}

/** Plays a history, then lets everything come to rest and looks at what is there. */
export async function play(
  seed: number,
  steps: Step[],
  beginning: Beginning,
  home: string,
  { isShort = false, trace }: { isShort?: boolean; trace?: Trace | undefined } = {},
): Promise<Outcome> {
  const world = new World(seed, beginning, home, trace);
  const story: string[] = [];
  const open = new Map<Promise<void>, ActName>();
  const reject = (reason: unknown): void =>
    world.violate(`unhandled: ${reason instanceof Error ? reason.stack : String(reason)}`);
  process.on('unhandledRejection', reject);
  process.on('uncaughtException', reject);
  try {
    await startAgain(world);
    for (const [index, step] of steps.entries()) {
      const act = ACT_ROWS[step.act];
      await restIfEnded(world, story);
      if (act.isAlone && index % 2 === 0) await settle(world, open);
      let isDone = false;
      const done = act.run(world, step.pick).then(
        (text) => void story.push(`${at(world)} ${step.act}: ${text}`),
        (error: unknown) =>
          void world.violate(`${step.act}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
      );
      const ended = done.finally(() => {
        isDone = true;
        open.delete(ended);
      });
      open.set(ended, step.act);
      // An act that is alone drives the machine itself.
      if (act.isAlone) await ended;
      else if (step.isOverlapping) {
        // The next step comes in the middle of this one.
        const stopAt = world.machine.done + world.machine.random.below(MOST_OVERLAP);
        await world.machine.run(() => isDone || world.machine.done >= stopAt, 50);
      } else await world.machine.run(() => isDone || !world.machine.boot.isOn, 90_000);
      if (world.violations.length > 0 || world.isDataLost) break;
    }
    if (world.violations.length === 0 && !world.isDataLost) {
      await settle(world, open);
      await restIfEnded(world, story);
      await calmDown(world, isShort);
    }
  } catch (error) {
    world.violate(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    await world.hub.stop().catch((error: unknown) => world.violate(`stop: ${String(error)}`));
    process.off('unhandledRejection', reject);
    process.off('uncaughtException', reject);
    if (world.violations.length > 0 && process.env['HOMEPORT_SIMULATION_KEEP'])
      realFiles.cpSync(home, process.env['HOMEPORT_SIMULATION_KEEP'], { recursive: true });
    world.dispose();
  }
  return {
    seed,
    steps,
    story: [...story, ...world.hub.log.slice(-12)],
    violations: world.violations,
  };
}

/** A fault may have ended the process: power on. */
async function restIfEnded(world: World, story: string[]): Promise<void> {
  if (world.hub.isOn) return;
  story.push(`${at(world)} (the process has ended and starts again)`);
  await world.kill(false);
  await startAgain(world);
}

/** The calls that are still open get their answers, or the process ends. */
async function settle(world: World, open: ReadonlyMap<Promise<void>, ActName>): Promise<void> {
  const isOver = (): boolean => open.size === 0 || !world.machine.boot.isOn;
  if (!(await world.machine.run(isOver, 180_000)) && world.hub.isOn)
    world.violate(`no answer after three minutes: ${[...open.values()].join(', ')}`);
}

function at({ machine }: World): string {
  return new Date(machine.clock.now()).toISOString().slice(0, 19).replace('T', ' ');
}
