import { join } from 'node:path';
import type { CallKind, Fault } from './machine.ts';
import { Random } from './seams/random.ts';
import { realFiles } from './seams/simulated-files.ts';
import type { Answer } from './world/simulated-hub.ts';
import { startAgain } from './world/start-again.ts';
import { type Beginning, World } from './world/world.ts';
import type { Write } from './world/write.ts';
import { WRITES } from './world/writes.ts';

const SEED = 7;
const KINDS: readonly CallKind[] = ['database', 'file', 'message'];
const WAYS = {
  database: ['error', 'full', 'busy', 'end-before', 'end-after'],
  file: ['error', 'full', 'end-before', 'end-after'],
  message: ['error', 'end-before', 'end-after'],
} as const;
/** A call that has not failed by then belongs to something else. */
const MOST_CALLS = 400;

export interface Sweep {
  trials: number;
  broken: string[];
}

/** A folder with connection `c0` and its records. */
export async function connectedFolder(beginning: Beginning, folder: string): Promise<Beginning> {
  const world = new World(SEED, beginning, join(folder, 'home'));
  const target = join(folder, 'connected');
  await startAgain(world);
  const account = world.provider.newAccount();
  const body = {
    provider_config_key: 'sim',
    connection_id: 'c0',
    credentials: {
      type: 'OAUTH2',
      access_token: world.provider.accessToken(account),
      refresh_token: world.provider.refreshToken(account),
      expires_in: 3600,
    },
  };
  const answer = await world.machine.until('connect', world.hub.call('POST', '/connections', { body }));
  if (answer.status !== 201) throw new Error(`no connection: ${answer.status} ${JSON.stringify(answer.body)}`);
  await world.machine.pass(20_000);
  await world.hub.stop();
  realFiles.cpSync(world.home, target, { recursive: true, preserveTimestamps: true });
  world.dispose();
  return { ...beginning, folder: target };
}

/**
 * For one write: its n-th call of each kind fails, or is the last before or after which the process ends, for every
 * `every`-th n until it succeeds. An answer of success means that the effect is there, then and after a kill.
 */
export async function sweep(name: string, beginning: Beginning, home: string, every: number): Promise<Sweep> {
  const write = WRITES[name];
  if (!write) throw new Error(`no write is called ${name}`);
  const result: Sweep = { trials: 0, broken: [] };
  const plain = await attempt(write, undefined, beginning, home);
  if (plain.problem !== undefined || !plain.isAccepted)
    return { trials: 1, broken: [`${name} without a fault: ${plain.problem ?? plain.answer}`] };
  for (const kind of KINDS)
    for (const how of WAYS[kind])
      for (let at = 1; at <= MOST_CALLS; at += every) {
        // Before the n-th call is after the one before it.
        if (how === 'end-before' && at > 1) break;
        result.trials += 1;
        const { hasFired, problem } = await attempt(write, { kind, at, how }, beginning, home);
        if (problem !== undefined) result.broken.push(`${name}, ${kind} ${at}, ${how}: ${problem}`);
        if (!hasFired) break;
      }
  return result;
}

/** `count` faults of all, chosen by the seed. */
export async function sample(count: number, seed: number, beginning: Beginning, home: string): Promise<Sweep> {
  const random = new Random(seed);
  const result: Sweep = { trials: 0, broken: [] };
  while (result.trials < count) {
    const [name, write] = random.pick(Object.entries(WRITES));
    const kind = random.pick(KINDS);
    const how = random.pick(WAYS[kind]);
    const { calls } = await attempt(write, undefined, beginning, home);
    if (calls[kind] === 0) continue;
    const at = 1 + random.below(calls[kind]);
    const { problem } = await attempt(write, { kind, at, how }, beginning, home);
    if (problem !== undefined) result.broken.push(`${name}, ${kind} ${at}, ${how}: ${problem}`);
    result.trials += 1;
  }
  return result;
}

interface Trial {
  hasFired: boolean;
  /** From the request to its answer. */
  calls: Record<CallKind, number>;
  isAccepted: boolean;
  answer: string;
  problem: string | undefined;
}

async function attempt(write: Write, fault: Fault | undefined, beginning: Beginning, home: string): Promise<Trial> {
  const world = new World(SEED, beginning, home);
  const { machine, hub } = world;
  world.provider.newAccount();
  try {
    await startAgain(world);
    await machine.pass(1_500);
    if (write.before) await write.before(world);
    const before = { ...machine.boot.calls };
    machine.boot.setFault(fault);
    let answer: Answer | undefined;
    void write.send(world).then((sent) => {
      answer = sent;
    });
    const { boot } = machine;
    await machine.run(() => answer !== undefined || !boot.isOn, 60_000);
    const hasFired = fault !== undefined && !boot.hasFault;
    const calls = {
      database: boot.calls.database - before.database,
      file: boot.calls.file - before.file,
      message: boot.calls.message - before.message,
    };
    boot.setFault(undefined);
    if (boot.isOn && answer === undefined)
      return { hasFired, calls, isAccepted: false, answer: '', problem: 'no answer' };
    if (!boot.isOn) answer = answer?.status ? answer : undefined;
    const first = `${answer?.status} ${JSON.stringify(answer?.body)}`;
    const isAccepted = isSuccess(answer);
    let problem: string | undefined;
    if (isAccepted && boot.isOn) problem = await missing(world, write, answer, 'accepted');
    // The hub that had the fault goes on: the caller's next attempt ends well without a restart, too.
    if (!isAccepted && boot.isOn) ({ answer, problem } = await repeated(world, write, 'in the same process'));
    await world.kill(false);
    await startAgain(world);
    if (isSuccess(answer)) problem ??= await missing(world, write, answer, 'accepted, then killed');
    // A token that the hub could not write down before its end is lost with the process.
    const isLost = [...world.provider.accounts.values()].some(({ lostBecause }) => lostBecause !== undefined);
    if (!isSuccess(answer) && !isLost) problem ??= (await repeated(world, write, 'after the next start')).problem;
    return { hasFired, calls, isAccepted, answer: first, problem: problem && `${first}; ${problem}` };
  } catch (error) {
    return {
      hasFired: true,
      calls: { database: 0, file: 0, message: 0 },
      isAccepted: false,
      answer: '',
      problem: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  } finally {
    await hub.kill();
    world.dispose();
  }
}

const isSuccess = (answer: Answer | undefined): boolean =>
  answer !== undefined && answer.status >= 200 && answer.status < 300;

/** The same write succeeds now, or its effect is there already. */
async function repeated(
  world: World,
  write: Write,
  when: string,
): Promise<{ answer: Answer | undefined; problem: string | undefined }> {
  const answer = await world.machine.until('the same write again', write.again?.(world) ?? write.send(world));
  if (answer.status === 0 || answer.status >= 500)
    return { answer, problem: `the next attempt ${when} answers ${answer.status} ${JSON.stringify(answer.body)}` };
  const done = isSuccess(answer) ? answer : undefined;
  return { answer: done, problem: await missing(world, write, done, `then answered ${answer.status} ${when}`) };
}

/** A check drives the machine itself. */
async function missing(
  world: World,
  write: Write,
  answer: Answer | undefined,
  when: string,
): Promise<string | undefined> {
  const checked = write.isDone(world, answer);
  let isDone: boolean | undefined;
  checked.then(
    (value) => {
      isDone = value;
    },
    () => {
      isDone = false;
    },
  );
  await world.machine.run(() => isDone !== undefined, 120_000);
  return isDone ? undefined : `${when}, and the effect is not there`;
}
