import { realFiles } from '../seams/simulated-files.ts';
import type { Act } from './act.ts';
import {
  changesOf,
  connect,
  connectionOf,
  keyOf,
  lock,
  readConnection,
  signIn,
  textOf,
  unlock,
  withConnection,
} from './calls.ts';
import { DATA_ACTS } from './data-acts.ts';
import { LIMIT_ACTS } from './key-limit-acts.ts';
import type { Mishap } from './simulated-provider.ts';
import { startAgain } from './start-again.ts';
import { TRANSFER_ACTS } from './transfer-acts.ts';
import { WORKSPACE_ACTS } from './workspace-acts.ts';
import type { World } from './world.ts';

/** One step of a history. A plain value, so that a failed history can be shortened and printed. */
export interface Step {
  act: ActName;
  /** Which connection, environment, moment: whatever the act makes of it. */
  pick: number;
  /** The next step begins before this one has ended. */
  isOverlapping: boolean;
}

const MISHAPS: readonly Mishap[] = ['reset', 'lost', 'half', 'slow', 'busy', 'broken'];
/** A fault comes within so many calls: that many are in a connection and its first runs. */
const FAULT_WITHIN = 120;
const MINUTE = 60_000;
/** The hub believes a clock that goes ahead by no more than this. */
const BELIEVED_STEP_MS = 72 * 3_600_000;
const HOUR = 60 * MINUTE;

function mishapsOf(world: World): Mishap[] {
  const { weatherRandom: random } = world;
  return Array.from({ length: 1 + random.below(3) }, () => random.pick(MISHAPS));
}

const ACTS = {
  ...DATA_ACTS,
  ...LIMIT_ACTS,
  ...TRANSFER_ACTS,
  ...WORKSPACE_ACTS,
  connect: {
    weight: 10,
    run: (world, pick) =>
      withConnection(world, pick, (connection, key) => connect(world, connection, key, pick % 7 === 6)),
  },
  'sign in': { weight: 4, run: (world, pick) => signIn(world, keyOf(world, connectionOf(world, pick))) },
  read: {
    weight: 12,
    run: (world, pick) =>
      withConnection(world, pick, async (connection) =>
        textOf((await readConnection(world, connection, pick % 2 === 1)).answer),
      ),
  },
  'set metadata': {
    weight: 10,
    run: (world, pick) =>
      withConnection(world, pick, async (connection, key) => {
        const value = `m${pick}`;
        connection.metadata.maybe(value);
        const body = { connection_id: connection.id, provider_config_key: 'sim', metadata: { v: value } };
        const answer = await world.hub.call('PATCH', '/connections/metadata', { key, body });
        if (answer.status === 200) connection.metadata.set(value);
        return `${value} → ${textOf(answer)}`;
      }),
  },
  disconnect: {
    weight: 3,
    run: (world, pick) =>
      withConnection(world, pick, async (connection, key) => {
        connection.pausedAt = undefined;
        connection.account.maybe('none');
        connection.metadata.maybe('');
        const answer = await world.hub.call('DELETE', `/connections/${connection.id}?provider_config_key=sim`, { key });
        if (answer.status === 200 || answer.status === 404) {
          if (answer.status === 404 && !connection.account.has('none'))
            world.violate(`${connection.id} cannot be deleted: 404`);
          connection.account.set('none');
          connection.metadata.set('');
        }
        return textOf(answer);
      }),
  },
  'call the provider': {
    weight: 6,
    run: (world, pick) =>
      withConnection(world, pick, async (connection, key) =>
        textOf(
          await world.hub.call('GET', '/proxy/account', {
            key,
            headers: { 'provider-config-key': 'sim', 'connection-id': connection.id },
          }),
        ),
      ),
  },
  'write a note': {
    weight: 5,
    run: (world, pick) =>
      withConnection(world, pick, async (connection, key) => {
        const note = `note${pick}-${world.provider.notes.length}`;
        const headers = { 'provider-config-key': 'sim', 'connection-id': connection.id };
        const answer = await world.hub.call('POST', '/action/trigger', {
          key,
          headers,
          body: { action_name: 'note', input: { key: note } },
        });
        const times = world.provider.notes.filter((one) => one === note).length;
        if (answer.status === 200 && times === 0) world.violate(`the note ${note} was acknowledged and not written`);
        if (times > 1) world.violate(`the note ${note} was written ${times} times`);
        return textOf(answer);
      }),
  },
  'trigger syncs': {
    weight: 6,
    run: (world, pick) =>
      withConnection(world, pick, async (connection, key) => {
        const syncs = pick % 2 === 0 ? ['full'] : ['changes'];
        // A paused sync runs once when somebody asks for it.
        connection.pausedAt = undefined;
        const body = { provider_config_key: 'sim', connection_id: connection.id, syncs };
        return `${syncs[0]} → ${textOf(await world.hub.call('POST', '/sync/trigger', { key, body }))}`;
      }),
  },
  'a sync is paused': {
    weight: 3,
    run: (world, pick) =>
      withConnection(world, pick, async (connection, key) => {
        connection.wasPaused = true;
        const answer = await world.hub.call('POST', '/sync/pause', { key, body: changesOf(connection) });
        if (answer.status === 200 && connection.environment === 'dev')
          connection.pausedAt = world.machine.clock.awakeMs;
        return textOf(answer);
      }),
  },
  'a sync goes on': {
    weight: 2,
    run: (world, pick) =>
      withConnection(world, pick, async (connection, key) => {
        connection.pausedAt = undefined;
        return textOf(await world.hub.call('POST', '/sync/start', { key, body: changesOf(connection) }));
      }),
  },
  'the provider changes': {
    weight: 12,
    run: async ({ provider, weatherRandom }) => {
      const accounts = [...provider.accounts.values()];
      if (accounts.length === 0) return 'nobody is there';
      const account = weatherRandom.pick(accounts);
      return `${account.name}: ${provider.change(account)}, ${provider.change(account)}`;
    },
  },
  'access is revoked': {
    weight: 2,
    run: async ({ expected, provider }, pick) => {
      const used = [...expected.connections.values()].flatMap(({ account }) => [...account.values]);
      const account = provider.accounts.get(used[pick % used.length] ?? '');
      if (!account) return 'nobody is there';
      provider.revoke(account);
      return account.name;
    },
  },
  'a webhook arrives': {
    weight: 4,
    run: async (world, pick) => {
      const [dev] = world.beginning.environments.filter(({ name }) => name === 'dev');
      return textOf(await world.hub.open('POST', `/webhook/${dev?.uuid}/sim`, { note: `hook${pick}` }));
    },
  },
  'time passes': {
    weight: 14,
    run: async ({ machine }, pick) => {
      const seconds = 1 + (pick % 100);
      await machine.pass(seconds * 1000);
      return `${seconds} s`;
    },
    isAlone: true,
  },
  'the computer sleeps': {
    weight: 5,
    run: async (world, pick) => {
      const ms = [20 * MINUTE, 2 * HOUR, 26 * HOUR, 24 * 5 * HOUR][pick % 4] as number;
      world.machine.clock.sleepFor(ms);
      world.sleptMs += ms;
      return `${ms / HOUR} h`;
    },
    isAlone: true,
  },
  'the clock is set': {
    weight: 5,
    run: async (world, pick) => {
      const ms =
        ([5 * MINUTE, 24 * HOUR, 24 * 365 * HOUR, -5 * MINUTE, -30 * HOUR][pick % 5] as number) -
        (pick % 2 ? world.steppedMs : 0);
      world.machine.clock.step(ms);
      if (ms > 0 && ms <= BELIEVED_STEP_MS) world.believedMs += ms;
      world.steppedMs += ms;
      return `${ms / HOUR} h`;
    },
    isAlone: true,
  },
  'bad responses': {
    weight: 8,
    run: async (world, pick) => {
      const mishaps = mishapsOf(world);
      const target = (['tokenMishaps', 'apiMishaps', 'appMishaps'] as const)[pick % 3] as 'apiMishaps';
      world.provider[target].push(...mishaps);
      return `${target}: ${mishaps.join(', ')}`;
    },
  },
  'the disk is full': {
    weight: 3,
    run: async ({ machine }, pick) => {
      const { boot } = machine;
      boot.isFull = true;
      await machine.pass((pick % 5) * 1000);
      return `${pick % 5} s`;
    },
    isAlone: true,
  },
  'the disk is slow': {
    weight: 3,
    run: async ({ machine }, pick) => {
      machine.boot.slowMs = [2, 10, 40][pick % 3] as number;
      return `${machine.boot.slowMs} ms for each statement`;
    },
  },
  'the disk has space again': {
    weight: 4,
    run: async ({ machine }) => {
      machine.boot.isFull = false;
      machine.boot.slowMs = 0;
      return '';
    },
  },
  'one call fails': {
    weight: 4,
    run: async ({ machine }, pick) => {
      const kind = pick % 3 === 0 ? 'file' : 'database';
      const at = 1 + (pick % FAULT_WITHIN);
      machine.boot.setFault({ kind, at, how: pick % 2 ? 'error' : 'full' });
      return `${kind} ${at}`;
    },
  },
  'a worker is lost': {
    weight: 4,
    run: async (world) => (world.workers.killOne() ? 'at work' : 'none was at work'),
  },
  'the vault is locked': {
    weight: 3,
    run: async (world) => textOf(await lock(world)),
  },
  'the vault is locked at a call': {
    weight: 3,
    run: async (world, pick) => {
      const { boot } = world.machine;
      const at = 1 + (pick % FAULT_WITHIN);
      boot.onEvent = () => void lock(world);
      boot.setFault({ kind: 'database', at, how: 'event' });
      return `database ${at}`;
    },
  },
  'the vault is unlocked': {
    weight: 3,
    run: async (world) => {
      await unlock(world);
      return world.isLocked ? 'still locked' : 'open';
    },
  },
  'the hub stops and starts': {
    weight: 2,
    run: async (world) => {
      world.machine.boot.isFull = false;
      await world.stop();
      await startAgain(world);
      return '';
    },
    isAlone: true,
  },
  'the process is killed': {
    weight: 5,
    run: async (world) => {
      await world.kill(false);
      await startAgain(world);
      return '';
    },
    isAlone: true,
  },
  'the power fails': {
    weight: 3,
    run: async (world) => {
      await world.kill(true);
      await startAgain(world);
      return '';
    },
    isAlone: true,
  },
  'the process is killed at a call': {
    weight: 6,
    run: async ({ machine }, pick) => {
      const kind = (['database', 'database', 'file', 'message'] as const)[pick % 4] as 'database';
      const at = 1 + (pick % FAULT_WITHIN);
      machine.boot.setFault({ kind, at, how: pick % 2 ? 'end-before' : 'end-after' });
      return `${kind} ${at}`;
    },
  },
  'the log of the database is removed': {
    weight: 1,
    run: async (world) => {
      if (!world.hub.isOn || world.areFilesLost) return 'the hub is off';
      realFiles.rmSync(`${world.databaseFile()}-wal`, { force: true });
      // What is written until the hub sees it is saved with the rest.
      world.areFilesLost = true;
      await world.machine.pass(5_000);
      world.machine.boot.isFull = false;
      await world.machine.pass(60_000);
      if (!world.hub.isOn) {
        // Nothing can save what only the removed file held.
        world.isDataLost = true;
        return 'the process ended meanwhile';
      }
      // A kill from here on is the case above, once more.
      world.machine.boot.setFault(undefined);
      await repair(world);
      return 'restored from what the hub saved';
    },
    isAlone: true,
  },
} as const satisfies Record<string, Act>;

export type ActName = keyof typeof ACTS;
export const ACT_ROWS: Readonly<Record<ActName, Act>> = ACTS;

/** Restores what the hub saved after its files were removed, as its message says. */
async function repair(world: World): Promise<void> {
  const { hub, machine, beginning } = world;
  machine.boot.isFull = false;
  const answer = await machine.until('a write', hub.call('POST', '/connections', { body: {} }));
  if (answer.status < 400) world.violate('a write is accepted although the log of the database is gone');
  await world.stop();
  const saved = realFiles
    .readdirSync(world.home)
    .find((name) => name.startsWith('homeport-rescued-') && name.endsWith('.db'));
  world.areFilesLost = false;
  if (!saved) {
    world.violate('the log of the database was removed, and the hub saved nothing');
    await startAgain(world);
    return;
  }
  machine.newBoot();
  const data = await machine.until('open', beginning.modules.OfflineData.open(hub.config, machine.clock));
  await machine.until('restore', data.restore(`${world.home}/${saved}`));
  await machine.until('close', data.close());
  await startAgain(world);
}
