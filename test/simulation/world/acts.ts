import { realFiles } from '../seams/simulated-files.ts';
import type { ExpectedConnection } from './expectations.ts';
import type { Answer } from './simulated-hub.ts';
import type { Account, Mishap } from './simulated-provider.ts';
import { Violation, type World } from './world.ts';

/** One step of a history. A plain value, so that a failed history can be shortened and printed. */
export interface Step {
  act: ActName;
  /** Which connection, environment, moment: whatever the act makes of it. */
  pick: number;
  /** The next step begins before this one has ended. */
  isOverlapping: boolean;
}

interface Act {
  /** How often it occurs, beside the others. */
  weight: number;
  /** Who does it; the world goes on by itself meanwhile. Resolves to what happened, for people. */
  run(world: World, pick: number): Promise<string>;
  /** Never overlaps: it changes the machine itself. */
  isAlone?: boolean;
}

const MISHAPS: readonly Mishap[] = ['reset', 'lost', 'half', 'slow', 'busy', 'broken'];
/** A fault comes within so many calls: that many are in a connection and its first runs. */
const FAULT_WITHIN = 120;
const MINUTE = 60_000;
/** The hub believes a clock that goes ahead by no more than this. */
const BELIEVED_STEP_MS = 72 * 3_600_000;
const HOUR = 60 * MINUTE;

function connectionOf({ expected }: World, pick: number): ExpectedConnection {
  return expected.connection(pick % 4 === 3 ? 'other' : 'dev', `c${pick % 3}`);
}

function keyOf({ beginning }: World, { environment }: ExpectedConnection): string {
  return environment === 'dev' ? beginning.secretKey : beginning.otherKey;
}

/** The call of one connection at a time, whose model stays simple that way. */
async function withConnection(
  world: World,
  pick: number,
  work: (connection: ExpectedConnection, key: string) => Promise<string>,
): Promise<string> {
  const connection = connectionOf(world, pick);
  const name = `${connection.environment}/${connection.id}`;
  if (connection.isBusy) return `${name} is busy`;
  connection.isBusy = true;
  try {
    return `${name}: ${await work(connection, keyOf(world, connection))}`;
  } finally {
    connection.isBusy = false;
  }
}

/** The sync `changes` of a connection, as calls name it. */
export const changesOf = ({ id }: ExpectedConnection): object => ({
  provider_config_key: 'sim',
  connection_id: id,
  syncs: ['changes'],
});
const textOf = ({ status, body }: Answer): string => `${status || 'no answer'} ${body?.error?.code ?? ''}`.trim();
/** Neither done nor refused for certain. */
const isUnknown = ({ status }: Answer): boolean => status === 0 || status >= 500;

/** `POST /connections` with the tokens of a new account. */
async function connect(world: World, connection: ExpectedConnection, key: string, isRefused: boolean): Promise<string> {
  const { provider, hub } = world;
  const account = provider.newAccount(isRefused);
  const { mishaps } = provider;
  const before = [...connection.account.values];
  connection.pausedAt = undefined;
  connection.account.maybe(account.name);
  const answer = await hub.call('POST', '/connections', {
    key,
    body: {
      provider_config_key: 'sim',
      connection_id: connection.id,
      credentials: {
        type: 'OAUTH2',
        access_token: provider.accessToken(account),
        refresh_token: provider.refreshToken(account),
        expires_in: 3600,
      },
    },
  });
  if (answer.status === 201) {
    if (isRefused && connection.environment === 'dev')
      world.violate(`${connection.id}: a refused account was accepted`);
    connection.account.set(account.name);
    connection.metadata.maybe('');
    if (connection.environment === 'dev') world.expected.createdInDev.set(connection.id, world.trueNow());
  } else if (answer.body?.error?.code === 'connection_validation_failed') {
    // The function may take a bad response of the provider as a refusal.
    if (!isRefused && provider.mishaps === mishaps)
      world.violate(`${connection.id}: the good account ${account.name} was refused: ${answer.body.error.message}`);
    // A refused connection is removed; a refused overwrite by an import stays, with a mark.
    if (before.length === 1 && before[0] === 'none') connection.account.set('none');
    else connection.account.maybe('none');
    connection.metadata.maybe('');
  } else if (!isUnknown(answer) && answer.status !== 423)
    connection.account.set(before.length === 1 ? (before[0] as string) : 'none');
  return `${account.name}${isRefused ? ' (refused)' : ''} → ${textOf(answer)}`;
}

/** Reads a connection and compares it with everything that it may be. */
export async function readConnection(
  world: World,
  connection: ExpectedConnection,
  isForced: boolean,
): Promise<{ answer: Answer; account?: Account }> {
  const { hub, provider } = world;
  const query = `provider_config_key=sim${isForced ? '&force_refresh=true' : ''}`;
  const answer = await hub.call('GET', `/connections/${connection.id}?${query}`, { key: keyOf(world, connection) });
  const name = `${connection.environment}/${connection.id}`;
  if (answer.status === 404) {
    if (!connection.account.see('none'))
      world.violate(`${name} is gone; expected ${[...connection.account.values].join(' or ')}`);
  }
  if (answer.status !== 200) return { answer };
  const found = provider.accountOf(String(answer.body.credentials?.access_token));
  if (!found) {
    world.violate(`${name} has a token that nobody issued`);
    return { answer };
  }
  const { account, generation } = found;
  const expected = [...connection.account.values].join(' or ');
  if (!connection.account.see(account.name)) world.violate(`${name} belongs to ${account.name}; expected ${expected}`);
  const metadata = String(answer.body.metadata?.v ?? '');
  const possible = [...connection.metadata.values].join(' or ');
  if (!connection.metadata.see(metadata)) world.violate(`${name} has metadata "${metadata}"; expected "${possible}"`);
  if (generation < account.generation && isForced && account.lostBecause === undefined)
    world.violate(`${name} got an old token`);
  return { answer, account };
}

/** A person signs in at the provider; the hub chooses the id of the connection. */
async function signIn(world: World, key: string): Promise<string> {
  const { expected, hub, provider } = world;
  const session = await hub.call('POST', '/connect/sessions', {
    key,
    body: { end_user: { id: 'u1' }, allowed_integrations: ['sim'] },
  });
  const token = session.body?.data?.token;
  if (session.status !== 201) return `no session: ${textOf(session)}`;
  const begun = await hub.open('GET', `/oauth/connect/sim?connect_session_token=${token}`);
  const state = new URL(begun.location ?? 'http://none').searchParams.get('state');
  if (state === null) return `not begun: ${textOf(begun)}`;
  const account = provider.newAccount();
  const code = `code-${account.name}`;
  provider.codes.set(code, account.name);
  const address = `/oauth/callback?state=${state}&code=${code}`;
  const { boot } = world.machine;
  const wasLocked = world.isLocked;
  let answer = await hub.open('GET', address);
  const first = answer.status;
  if (wasLocked && world.isLocked && boot.isOn && first !== 200) {
    // The same address works after the vault was unlocked.
    await unlock(world);
    if (!world.isLocked) answer = await hub.open('GET', address);
    if (provider.codes.has(code) && answer.status === 400)
      world.violate('the sign-in was lost because the vault was locked');
  }
  if (answer.status === 200) expected.signedIn.add(account.name);
  return `${account.name} → ${first || 'no answer'}${first === answer.status ? '' : `, then ${answer.status}`}`;
}

async function lock(world: World): Promise<Answer> {
  // Until the answer is known, it may be locked already.
  world.isLocked = true;
  const answer = await world.hub.dashboard('POST', '/api/v1/vault/lock');
  if (answer.status !== 200 && world.hub.isOn) await unlock(world);
  return answer;
}

export async function unlock(world: World): Promise<void> {
  if (!world.hub.isOn) return;
  const answer = await world.hub.dashboard('POST', '/api/v1/vault/unlock');
  if (answer.status !== 200) return;
  world.isLocked = false;
}

function mishapsOf(world: World): Mishap[] {
  const { weatherRandom: random } = world;
  return Array.from({ length: 1 + random.below(3) }, () => random.pick(MISHAPS));
}

const ACTS = {
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
      await world.hub.stop();
      world.expected.noteStop();
      world.isLocked = false;
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
      await repair(world);
      return 'restored from what the hub saved';
    },
    isAlone: true,
  },
} as const satisfies Record<string, Act>;

export type ActName = keyof typeof ACTS;
export const ACT_ROWS: Readonly<Record<ActName, Act>> = ACTS;

/** Starts the hub until it runs; a kill during the start is one more kill. */
export async function startAgain(world: World): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) if (await world.start()) return;
  throw new Violation('the hub does not start');
}

/** Restores what the hub saved after its files were removed, as its message says. */
async function repair(world: World): Promise<void> {
  const { hub, machine, beginning } = world;
  machine.boot.isFull = false;
  const answer = await machine.until('a write', hub.call('POST', '/connections', { body: {} }));
  if (answer.status < 400) world.violate('a write is accepted although the log of the database is gone');
  await hub.stop();
  world.expected.noteStop();
  world.isLocked = false;
  const saved = realFiles
    .readdirSync(world.home)
    .find((name) => name.startsWith('homeport-rescued-') && name.endsWith('.db'));
  world.areFilesLost = false;
  if (!saved) {
    world.violate('the log of the database was removed, and the hub saved nothing');
    await startAgain(world);
    return;
  }
  machine.boot = new (machine.boot.constructor as new () => typeof machine.boot)();
  const data = await machine.until('open', beginning.modules.OfflineData.open(hub.config, machine.clock));
  await machine.until('restore', data.restore(`${world.home}/${saved}`));
  await machine.until('close', data.close());
  await startAgain(world);
}
