import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { realFiles } from '../seams/simulated-files.ts';
import { changesOf, connect, keyOf, readConnection, unlock } from './calls.ts';
import { checkKeys } from './check-keys.ts';
import { SECRET_MARK } from './constants.ts';
import { changeKey } from './data-acts.ts';
import type { ExpectedConnection } from './expectations.ts';
import { type Account, isRenewable } from './simulated-provider.ts';
import { startAgain } from './start-again.ts';
import { checkWorkspace } from './workspace-acts.ts';
import type { World } from './world.ts';

const MINUTE = 60_000;
/** By how much a schedule may be late: retries of the provider, and a run before it. */
const SLACK_MS = 2 * MINUTE;
/** The setting of a new environment. */
const WEBHOOKS_KEPT_MS = 7 * 24 * 60 * MINUTE;
const FREQUENCY_MS = { full: 2 * MINUTE, changes: MINUTE };
/** After a long time with a full disk the hub tries again after minutes. In a week no time is so long. */
const LONG_PAUSE_MS = 6 * MINUTE;

/** The world is good again: the hub has to be, too, by itself. */
export async function calmDown(world: World, isShort: boolean): Promise<void> {
  const { hub, machine, provider } = world;
  for (const mishaps of [provider.tokenMishaps, provider.apiMishaps, provider.appMishaps]) mishaps.length = 0;
  machine.boot.setFault(undefined);
  machine.boot.isFull = false;
  machine.boot.slowMs = 0;
  machine.clock.step(-world.steppedMs);
  world.steppedMs = 0;
  await machine.until('unlock', unlock(world));
  if (world.isKeyChanged) await endKeyChange(world);
  const refused: ExpectedConnection[] = [];
  for (const connection of world.expected.connections.values())
    if (!(await goOn(world, connection))) refused.push(connection);
  if (world.isWorkspaceChanged) {
    await checkWorkspace(world);
    for (const connection of refused)
      if (!(await goOn(world, connection))) world.violate(`the sync changes of ${connection.id} cannot be started`);
  }
  // Two times the longest interval: what failed in the last one runs in the next.
  const quietMs = 2 * FREQUENCY_MS.full + SLACK_MS + (isShort ? 0 : LONG_PAUSE_MS);
  await machine.pass(quietMs);
  if (!hub.isOn) {
    world.violate('the process ended by itself');
    return startAgain(world);
  }
  for (const connection of world.expected.connections.values()) await checkConnection(world, connection);
  await checkSignIns(world);
  await machine.pass(MINUTE);
  checkFiles(world, (quietMs * 5) / 6);
  if (world.isKeyChanged) checkKeys(world);
  for (const { name, reused } of provider.accounts.values()) noteReuse(world, name, reused);
}

/** A change that was interrupted is made once more, as the person does who saw no answer. */
async function endKeyChange(world: World): Promise<void> {
  const story = await world.machine.until('a new key', changeKey(world, 0));
  if (!story.endsWith('200')) world.violate(`the master key cannot be changed: ${story}`);
}

/** False while the function is switched off, because its file was deleted. */
async function goOn({ hub, machine }: World, connection: ExpectedConnection): Promise<boolean> {
  if (!connection.wasPaused || connection.environment !== 'dev') return true;
  connection.pausedAt = undefined;
  const { status, body } = await machine.until(
    'the end of a pause',
    hub.call('POST', '/sync/start', { body: changesOf(connection) }),
  );
  return status === 200 || body.error.code === 'unknown_connection';
}

async function checkConnection(world: World, connection: ExpectedConnection): Promise<void> {
  const { machine, provider } = world;
  const name = `${connection.environment}/${connection.id}`;
  const read = await machine.until(`reading ${name}`, readConnection(world, connection, false));
  const { answer } = read;
  const sent = provider.accountOf(String(answer.body?.credentials?.access_token));
  if (
    sent &&
    sent.account.lostBecause === undefined &&
    !sent.account.isShared &&
    (sent.account.endsAt[sent.generation] ?? 0) < world.trueNow()
  )
    world.violate(`${name} has a token that has ended, and nobody renews it`);
  const possible = [...connection.account.values].flatMap((one) => provider.accounts.get(one) ?? []);
  const account = read.account ?? possible.find((one) => !isRenewable(one)) ?? possible[0];
  if (answer.status === 404 || !account || account.isShared || account.lostBecause !== undefined) return;
  if (account.revokedAt !== undefined) return checkRevoked(world, connection, account);
  if (answer.status !== 200)
    return world.violate(`${name} cannot be read: ${answer.status} ${JSON.stringify(answer.body)} (${account.name})`);
  const forced = await machine.until(`renewing ${name}`, readConnection(world, connection, true));
  if (forced.answer.status !== 200)
    return world.violate(
      `${name} cannot be renewed, although nothing of ${account.name} was lost: ${JSON.stringify(forced.answer.body)}`,
    );
  if (connection.environment === 'dev') await checkSyncs(world, connection, account);
}

/** Nobody gets a token, the person is asked to sign in, and then everything is well. */
async function checkRevoked(world: World, connection: ExpectedConnection, { name: account }: Account): Promise<void> {
  const { expected, hub, machine } = world;
  const { id } = connection;
  const name = `${connection.environment}/${id}`;
  const key = keyOf(world, connection);
  const read = (isForced: boolean) => machine.until(`reading ${name}`, readConnection(world, connection, isForced));
  const needsSignIn = async (): Promise<boolean> => {
    const listed = await machine.until('a list', hub.call('GET', '/connections?includeStatus=true&limit=500', { key }));
    const rows = listed.body.connections as Array<{ connection_id: string; status: string }>;
    return rows.find(({ connection_id: one }) => one === id)?.status === 'auth_error';
  };
  for (const isForced of [true, false]) {
    const { answer } = await read(isForced);
    if (answer.status < 400 || answer.status >= 500)
      world.violate(`${name} answers ${answer.status} after ${account} was revoked`);
  }
  if (!(await needsSignIn())) world.violate(`${name} asks for no sign-in, although ${account} was revoked`);
  await machine.until('a new account', connect(world, connection, key, false));
  const { answer } = await read(false);
  if (answer.status !== 200) world.violate(`${name} cannot be read after the new sign-in: ${answer.status}`);
  if (await needsSignIn()) world.violate(`${name} asks for a sign-in after the new one`);
  const since = machine.clock.awakeMs;
  await machine.pass(FREQUENCY_MS.changes + SLACK_MS);
  if (connection.environment === 'dev' && (expected.lastRunAt.get(`${id} changes`) ?? 0) < since)
    world.violate(`the syncs of ${id} do not run after the new sign-in`);
}

/** Whose connections the hub named itself. */
async function checkSignIns(world: World): Promise<void> {
  const { beginning, expected, hub, machine, provider } = world;
  const found = new Set<string>();
  for (const key of [beginning.secretKey, beginning.otherKey]) {
    const listed = await machine.until('a list', hub.call('GET', '/connections?limit=500', { key }));
    for (const { connection_id: id } of listed.body.connections as Array<{ connection_id: string }>) {
      const { body } = await machine.until(
        'a connection',
        hub.call('GET', `/connections/${id}?provider_config_key=sim`, { key }),
      );
      const sent = provider.accountOf(String(body.credentials?.access_token));
      if (!sent) continue;
      const { account, generation } = sent;
      found.add(account.name);
      if (isRenewable(account) && (account.endsAt[generation] ?? 0) < world.trueNow())
        world.violate(`the connection of ${account.name} has a token that has ended, and nobody renews it`);
    }
  }
  for (const name of expected.signedIn)
    if (!found.has(name) && isRenewable(provider.accounts.get(name) as Account))
      world.violate(`the sign-in of ${name} was acknowledged, and is gone`);
}

/** Without any command: the schedules alone have to bring everything. */
async function checkSyncs(world: World, { id }: ExpectedConnection, account: Account): Promise<void> {
  const { expected, hub, machine } = world;
  if (account.isRefused) return;
  for (const name of ['full', 'changes'] as const) {
    const lateMs = machine.clock.awakeMs - (expected.lastRunAt.get(`${id} ${name}`) ?? Number.NEGATIVE_INFINITY);
    if (lateMs > FREQUENCY_MS[name] + SLACK_MS)
      world.violate(`the sync ${name} of ${id} has not run for ${Math.round(lateMs / 1000)} s`);
  }
  const headers = { 'connection-id': id, 'provider-config-key': 'sim' };
  const listed = await machine.until('records', hub.call('GET', '/records?model=Item&limit=100', { headers }));
  if (listed.status !== 200) return world.violate(`the records of ${id} cannot be read: ${listed.status}`);
  const rows = listed.body.records as Array<{
    id: string;
    text: string;
    _nango_metadata: { deleted_at: string | null };
  }>;
  const live = rows.filter(({ _nango_metadata: { deleted_at: deletedAt } }) => deletedAt === null);
  const have = live
    .map((row) => `${row.id}=${row.text}`)
    .sort()
    .join(' ');
  const want = [...account.items]
    .map(([item, text]) => `${item}=${text}`)
    .sort()
    .join(' ');
  if (have !== want) world.violate(`the records of ${id} are ${have}; the provider has ${want}`);
}

/** Looks into the files, as somebody who has only them. Work that is older than `settledMs` is done. */
function checkFiles(world: World, settledMs: number): void {
  const { home } = world;
  for (const name of realFiles.readdirSync(home, { recursive: true }) as string[]) {
    const path = join(home, name);
    if (realFiles.statSync(path).isFile() && realFiles.readFileSync(path).includes(SECRET_MARK))
      world.violate(`a secret is in clear in ${name}`);
  }
  const db = new DatabaseSync(world.databaseFile(), { readOnly: true });
  try {
    const [{ integrity_check: result } = { integrity_check: 'nothing' }] = db
      .prepare('PRAGMA integrity_check')
      .all() as Array<{ integrity_check: string }>;
    if (result !== 'ok') world.violate(`the database is damaged: ${result}`);
    const before = world.machine.clock.now() - settledMs;
    const stuck = db
      .prepare("SELECT kind, state, payload FROM jobs WHERE run_at < ? AND state <> 'failed'")
      .all(before);
    if (stuck.length > 0) world.violate(`jobs stand still: ${JSON.stringify(stuck)}`);
    const late = db.prepare("SELECT error FROM sync_jobs WHERE error LIKE '%exceeded its time limit%'").all();
    // No run of the simulation takes as long as its limit, unless the computer sleeps meanwhile.
    if (late.length > 0) world.violate(`${late.length} runs were ended by a time limit that counts time asleep`);
    // One account, from which nothing was ever removed.
    const [account, ...others] = world.provider.accounts.values();
    const deleted = db
      .prepare("SELECT sum(json_extract(value, '$.deleted')) AS count FROM sync_jobs, json_each(result)")
      .get() as { count: number | null };
    if (account && others.length === 0 && account.removed.size === 0 && (deleted.count ?? 0) > 0)
      world.violate(`${deleted.count} records were deleted that the provider never removed`);
    const waiting = db
      .prepare('SELECT type, state, connection_id FROM webhook_deliveries WHERE finished_at IS NULL AND created_at < ?')
      .all(before);
    if (waiting.length > 0) world.violate(`webhooks are neither delivered nor given up: ${JSON.stringify(waiting)}`);
    const created = db
      .prepare("SELECT DISTINCT connection_id AS id FROM webhook_deliveries WHERE type LIKE 'auth%'")
      .all() as Array<{ id: string }>;
    const delivered = world.provider.deliveries
      .filter(({ type }) => type.startsWith('auth'))
      .map(({ connectionId }) => connectionId);
    const kept = new Set(created.map(({ id }) => id));
    const told = new Set([...kept, ...delivered]);
    for (const [id, at] of world.expected.createdInDev) {
      if (!told.has(id)) world.violate(`nobody was told that ${id} was created`);
      const isOld = world.trueNow() - at + world.believedMs > WEBHOOKS_KEPT_MS;
      if (!kept.has(id) && !isOld) world.violate(`the webhook about ${id} was removed as old, and is not`);
    }
  } finally {
    db.close();
  }
}

function noteReuse(world: World, name: string, reused: number[]): void {
  const account = world.provider.accounts.get(name);
  if (reused.length > 0 && account?.lostBecause === undefined && !account?.isShared)
    world.violate(`the refresh token ${reused[0]} of ${name} was used again`);
}
