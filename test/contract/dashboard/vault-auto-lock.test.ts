import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { FakeClock } from '../../support/fake-clock.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';

const MINUTE = 60_000;

let home: TempHome;
let clock: FakeClock;
let server: InProcessServer;
let dashboard: DashboardClient;

const env = { HOMEPORT_MASTER_KEY: randomBytes(32).toString('base64') };

async function start(now = Date.now()): Promise<void> {
  clock = new FakeClock(now);
  server = await startInProcess({ home: home.path, clock, env });
  dashboard = await DashboardClient.signIn({ url: server.url, signIn: server });
}

beforeAll(async () => {
  home = await createTempHome();
  await start();
});
afterAll(async () => {
  await server?.stop();
  await home?.remove();
});

const health = async () => (await dashboard.call('GET /api/v1/meta')).health;
const set = (minutes: number | null) => dashboard.call('PUT /api/v1/vault/auto-lock', { body: { minutes } });
const untilLocked = () => waitFor(async () => (await health()).vault === 'locked', { what: 'the lock' });

describe('the automatic lock of the vault', () => {
  it('is off until it is chosen', async () => {
    const ownClock = new FakeClock(Date.now());
    const own = await startInProcess({ clock: ownClock, env });
    onTestFinished(() => own.stop());
    const page = await DashboardClient.signIn({ url: own.url, signIn: own });
    await ownClock.advance(24 * 60 * MINUTE);

    expect((await page.call('GET /api/v1/meta')).health).toMatchObject({ vault: 'unlocked', autoLockMinutes: null });
  });

  it('locks after the time without a person, which open pages and apps do not fill', async () => {
    await set(15);
    await clock.advance(14 * MINUTE);
    await dashboard.call('GET /api/v1/connections');
    await fetch(`${server.url}/connections`, { headers: { authorization: `Bearer ${server.secretKey}` } });
    expect(await health()).toMatchObject({ vault: 'unlocked', autoLockMinutes: 15 });

    await clock.advance(MINUTE);

    await untilLocked();
    await dashboard.call('POST /api/v1/vault/unlock');
  });

  it('restarts with the activity of a person: a report of the page, an unlock, a change of the time', async () => {
    await set(15);
    await clock.advance(10 * MINUTE);
    await dashboard.call('POST /api/v1/vault/presence');
    await clock.advance(14 * MINUTE);
    expect((await health()).vault).toBe('unlocked');
    await clock.advance(MINUTE);
    await untilLocked();

    await clock.advance(40 * MINUTE);
    await dashboard.call('POST /api/v1/vault/unlock');
    await clock.advance(14 * MINUTE);
    expect((await health()).vault).toBe('unlocked');

    await set(5);
    await clock.advance(4 * MINUTE);
    expect((await health()).vault).toBe('unlocked');
    await clock.advance(MINUTE);
    await untilLocked();

    await dashboard.call('POST /api/v1/vault/unlock');
    await set(null);
    await clock.advance(60 * MINUTE);
    expect((await health()).vault).toBe('unlocked');
  });

  it('locks a computer that slept as soon as it wakes', async () => {
    await set(30);

    await clock.skip(8 * 60 * MINUTE);

    await untilLocked();
    await dashboard.call('POST /api/v1/vault/unlock');
  });

  it('stays chosen after a restart, which opens the vault', async () => {
    await set(30);
    await server.stop();
    await start(clock.now());

    expect(await health()).toMatchObject({ vault: 'unlocked', autoLockMinutes: 30 });
    await clock.advance(30 * MINUTE);
    await untilLocked();
    await dashboard.call('POST /api/v1/vault/unlock');
  });

  it('refuses an invalid time, and records in the audit who changed it', async () => {
    for (const minutes of [0, 1.5, 1441, '5'])
      expect(
        await dashboard.refusal('PUT /api/v1/vault/auto-lock', { body: { minutes: minutes as number } }),
      ).toMatchObject({ status: 400, code: 'invalid_body' });
    await set(null);
    const { data } = await dashboard.call('GET /api/v1/audit');
    expect(data.map(({ subject }) => subject)).toContain('automatic lock of the vault');
  });
});
