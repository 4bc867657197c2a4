import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createDashboardLogin,
  type DashboardLogin,
  type StartedSession,
} from '../../../server/environments/dashboard-login.ts';
import { Database } from '../../../server/platform/database/database.ts';
import { migrate } from '../../../server/platform/database/migrate.ts';
import { randomIds as ids } from '../../../server/platform/lib/ids.ts';
import { type Logger, silentLogger } from '../../../server/platform/lib/logger.ts';
import type { Vault } from '../../../server/platform/vault/vault.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { openVault } from '../../support/open-vault.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

const DAY_MS = 24 * 3_600_000;

let home: TempHome;
let database: Database;
let vault: Vault;
let clock: FakeClock;
let signIn: DashboardLogin;
/** Logged warnings. */
let warnings: unknown[];

beforeEach(async () => {
  home = await createTempHome();
  clock = new FakeClock();
  const file = join(home.path, 'homeport.db');
  database = await Database.open({ file });
  await migrate({ database, migrations: MIGRATIONS, clock, logger: silentLogger });
  vault = await openVault(home.path);
  warnings = [];
  signIn = restarted();
});
afterEach(async () => {
  await database.close();
  await home.remove();
});

const logger: Logger = { ...silentLogger, warn: (fields) => void warnings.push(fields) };

/** As after a restart of the hub: only stored data is left. */
const restarted = (): DashboardLogin => createDashboardLogin({ database, vault, clock, ids, logger });

async function start(client: 'browser' | 'command-line' = 'browser'): Promise<StartedSession> {
  const started = await signIn.redeem(signIn.issueLinkCode(), { client, browser: 'Firefox', replaces: undefined });
  if (!started) throw new Error('the code was refused');
  return started;
}

const find = (by: DashboardLogin, { cookie, csrfToken }: StartedSession) => by.findSession(cookie, csrfToken);

describe('a one-time code', () => {
  it.each([
    ['link', () => signIn.issueLinkCode()],
    ['pairing', () => signIn.issuePairingCode()],
  ])('of a %s stays valid when its session cannot be stored, and works once after that', async (_, issue) => {
    const code = issue();
    const redeem = () => signIn.redeem(code, { client: 'browser', browser: 'Firefox', replaces: undefined });
    let isFull = true;
    database.guard({
      beforeWrite: () => {
        if (isFull) throw new Error('the disk is full');
      },
      afterDurableWrite: () => {},
    });

    await expect(redeem()).rejects.toThrow('the disk is full');
    await expect(redeem()).rejects.toThrow('the disk is full');
    isFull = false;
    expect(await redeem()).toBeDefined();
    expect(await redeem()).toBeUndefined();
  });
});

describe('a session of the dashboard', () => {
  it('ends 30 days after the sign-in, however often it is used and read from the database', async () => {
    const session = await start();

    await clock.advance(30 * DAY_MS - 1);
    const read = restarted();
    expect(await find(read, session)).toBeDefined();
    expect(await find(signIn, session)).toBeDefined();
    await clock.advance(1);

    expect(await find(read, session)).toBeUndefined();
    expect(await find(signIn, session)).toBeUndefined();
    expect(await find(restarted(), session)).toBeUndefined();
  });

  it('of the command line ends after an hour', async () => {
    const session = await start('command-line');
    await clock.advance(3_600_000);

    expect(await find(signIn, session)).toBeUndefined();
  });

  it('stays ended after a restart', async () => {
    const session = await start();
    const id = (await find(signIn, session)) ?? '';

    expect(await signIn.endSessions((one) => one === id)).toBe(1);

    expect(await find(signIn, session)).toBeUndefined();
    expect(await find(restarted(), session)).toBeUndefined();
    expect(await signIn.listSessions()).toEqual([]);
  });

  it('tells when it was last used, to five minutes', async () => {
    const session = await start();
    const createdAt = clock.now();
    await clock.advance(60_000);
    await find(signIn, session);
    expect((await signIn.listSessions())[0]?.lastUsedAt).toBe(createdAt);
    await clock.advance(5 * 60_000);
    await find(signIn, session);

    expect((await signIn.listSessions())[0]).toMatchObject({ createdAt, lastUsedAt: clock.now() });
  });

  it('is still valid when the time of its use cannot be stored, which is logged', async () => {
    const session = await start();
    await clock.advance(5 * 60_000);
    vi.spyOn(database, 'transaction').mockRejectedValueOnce(new Error('The disk is full.'));

    expect(await find(signIn, session)).toBeDefined();

    expect(warnings).toEqual([{ err: new Error('The disk is full.') }]);
    expect(await find(signIn, session)).toBeDefined();
  });
});
