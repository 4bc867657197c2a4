import type { ExpectedConnection } from './expectations.ts';
import type { Answer } from './simulated-hub.ts';
import type { Account } from './simulated-provider.ts';
import type { World } from './world.ts';

export function connectionOf({ expected }: World, pick: number): ExpectedConnection {
  return expected.connection(pick % 4 === 3 ? 'other' : 'dev', `c${pick % 3}`);
}

export function keyOf({ beginning }: World, { environment }: ExpectedConnection): string {
  return environment === 'dev' ? beginning.secretKey : beginning.otherKey;
}

/** The call of one connection at a time, whose model stays simple that way. */
export async function withConnection(
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
export const textOf = ({ status, body }: Answer): string =>
  `${status || 'no answer'} ${body?.error?.code ?? ''}`.trim();
/** Neither done nor refused for certain. */
const isUnknown = ({ status }: Answer): boolean => status === 0 || status >= 500;

/** `POST /connections` with the tokens of a new account. */
export async function connect(
  world: World,
  connection: ExpectedConnection,
  key: string,
  isRefused: boolean,
): Promise<string> {
  const { provider, hub } = world;
  const account = provider.newAccount(isRefused);
  const { mishaps } = provider;
  const { sleptMs } = world;
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
  // Nobody can tell the hub that its lifetime is over.
  if (world.sleptMs > sleptMs) account.lostBecause = 'the computer slept while its token was sent';
  connection.isUnchecked = answer.body?.error?.code === 'validation_unavailable';
  if (answer.status === 201) {
    if (isRefused && connection.environment === 'dev')
      world.violate(`${connection.id}: a refused account was accepted`);
    connection.account.set(account.name);
    connection.metadata.maybe('');
    if (connection.environment === 'dev') world.expected.createdInDev.set(connection.id, world.trueNow());
  } else if (answer.body?.error?.code === 'connection_validation_failed') {
    // The function may take a bad response of the provider as a refusal, and the computer may sleep until the token ends.
    const hasEnded = account.revokedAt !== undefined || (account.endsAt[0] ?? 0) < world.trueNow();
    if (!isRefused && provider.mishaps === mishaps && !hasEnded)
      world.violate(`${connection.id}: the good account ${account.name} was refused: ${answer.body.error.message}`);
    // A refused connection is removed; a refused overwrite by an import stays, with a mark.
    if (before.length === 1 && before[0] === 'none') connection.account.set('none');
    else connection.account.maybe('none');
    connection.metadata.maybe('');
  } else if (isUnknown(answer)) connection.metadata.maybe('');
  else if (answer.status !== 423) connection.account.set(before.length === 1 ? (before[0] as string) : 'none');
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
  const begunAt = world.machine.done;
  const before = new Map([...provider.accounts.values()].map((one) => [one, one.generation]));
  const answer = await hub.call('GET', `/connections/${connection.id}?${query}`, { key: keyOf(world, connection) });
  const name = `${connection.environment}/${connection.id}`;
  if (answer.status === 404) {
    const expected = [...connection.account.values].join(' or ');
    if (!connection.account.see('none')) world.violate(`${name} is gone; expected ${expected}`);
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
  if (connection.isUnchecked) connection.account.maybe('none');
  const metadata = String(answer.body.metadata?.v ?? '');
  const possible = [...connection.metadata.values].join(' or ');
  if (!connection.metadata.see(metadata)) world.violate(`${name} has metadata "${metadata}"; expected "${possible}"`);
  // It may have been renewed once more before the answer arrived.
  const isOld = generation < account.generation && generation <= (before.get(account) ?? 0);
  if (isOld && isForced && account.lostBecause === undefined && !account.isShared)
    world.violate(`${name} got an old token`);
  if (isForced && account.revokedAt !== undefined && account.revokedAt < begunAt)
    world.violate(`${name} got a token of ${account.name}, which the provider has revoked`);
  return { answer, account };
}

/** A person signs in at the provider; the hub chooses the id of the connection. */
export async function signIn(world: World, key: string): Promise<string> {
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
  const { boot, clock } = world.machine;
  const begunAt = clock.now();
  const { mishaps } = provider;
  let answer = await hub.open('GET', address);
  const first = answer.status;
  if (world.isLocked && boot.isOn && first !== 200) {
    // Locked before or meanwhile: the same address works after the vault was unlocked.
    await unlock(world);
    if (!world.isLocked) {
      answer = await hub.open('GET', address);
      // Unless the provider refused, or the computer slept, or its clock was set: an address is valid for an hour.
      const isUndisturbed = provider.mishaps === mishaps && Math.abs(clock.now() - begunAt) < 60_000;
      if (provider.codes.has(code) && answer.status === 400 && isUndisturbed)
        world.violate('the sign-in was lost because the vault was locked');
    }
  }
  if (answer.status === 200) expected.signedIn.add(account.name);
  return `${account.name} → ${first || 'no answer'}${first === answer.status ? '' : `, then ${answer.status}`}`;
}

export function lock(world: World): Promise<Answer> {
  const locking = askToLock(world);
  world.locking = locking;
  return locking;
}

async function askToLock(world: World): Promise<Answer> {
  // Until the answer is known, it may be locked already.
  world.isLocked = true;
  const answer = await world.hub.dashboard('POST', '/api/v1/vault/lock');
  if (answer.status !== 200) await askToUnlock(world);
  return answer;
}

export async function unlock(world: World): Promise<void> {
  // A lock that is on its way could arrive behind it.
  await world.locking;
  await askToUnlock(world);
}

async function askToUnlock(world: World): Promise<void> {
  if (!world.hub.isOn) return;
  const answer = await world.hub.dashboard('POST', '/api/v1/vault/unlock');
  if (answer.status !== 200) return;
  world.isLocked = false;
}
