// @module-tag slow
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sqlite3 from 'sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RotatingProvider } from '../../support/rotating-provider.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ApiCaller } from '../http/api-caller.ts';

/** `HOMEPORT_CRASH_ROUNDS=20` for the long run. */
const ROUNDS = Number(process.env['HOMEPORT_CRASH_ROUNDS'] ?? 2);
const CONNECTION = 'GET /connections/c1?provider_config_key=rotating';

let home: TempHome;
let provider: RotatingProvider;
let server: StartedServer;
let api: ApiCaller;

beforeAll(async () => {
  home = await createTempHome();
  provider = await RotatingProvider.start();
  await mkdir(join(home.path, 'functions'));
  await writeFile(join(home.path, 'functions', 'providers.yaml'), provider.entry('rotating'));
  server = await startServer({ home: home.path });
  api = new ApiCaller(server);
  const client = { type: 'OAUTH2', client_id: 'client-1', client_secret: 'secret-1' };
  await api.send('POST /integrations', {
    body: { provider: 'rotating', unique_key: 'rotating', credentials: client },
  });
  const { accessToken: access_token, refreshToken: refresh_token } = provider;
  const made = await api.send('POST /connections', {
    body: {
      provider_config_key: 'rotating',
      connection_id: 'c1',
      credentials: { type: 'OAUTH2', access_token, refresh_token, no_expiration: true },
    },
  });
  expect(made.status).toBe(201);
});
afterAll(async () => {
  await server?.stop();
  await provider?.stop();
  await home?.remove();
});

/** Blocks every other writer of the database; resolves to a function that releases them. */
async function holdDatabase(): Promise<() => Promise<void>> {
  const database = new sqlite3.Database(join(home.path, 'homeport.db'));
  const run = (sql: string): Promise<void> =>
    new Promise((resolve, reject) => database.run(sql, (error) => (error ? reject(error) : resolve())));
  await run('PRAGMA busy_timeout = 5000');
  await run('BEGIN IMMEDIATE');
  return async () => {
    await run('ROLLBACK');
    await new Promise<void>((resolve, reject) => database.close((error) => (error ? reject(error) : resolve())));
  };
}

/** Size of the journal's entries, which may be added and removed at any time. */
async function journalBytes(): Promise<number> {
  const folder = join(home.path, 'journal');
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** A forced refresh without a response, because the server dies. */
function refreshUnheard(): Promise<unknown> {
  return api.send(`${CONNECTION}&force_refresh=true`).catch(() => 'cut off');
}

async function expectNewestTokens(): Promise<void> {
  const { status, body } = await api.send(`${CONNECTION}&refresh_token=true`);
  expect({ status, credentials: (body as { credentials: object }).credentials }).toMatchObject({
    status: 200,
    credentials: { access_token: provider.accessToken, refresh_token: provider.refreshToken },
  });
}

describe('a server killed during a refresh', () => {
  it('has the rotated token after its restart, although it was not stored in the database', async () => {
    const release = await holdDatabase();
    const unheard = refreshUnheard();
    await waitFor(async () => (await journalBytes()) > 0);
    await server.kill();
    await unheard;
    await release();

    await server.restart();
    await expectNewestTokens();
    expect(await readdir(join(home.path, 'journal'))).toEqual([]);
    expect((await api.send(`${CONNECTION}&force_refresh=true`)).status).toBe(200);
    await expectNewestTokens();
  });

  it('has the token that came while its vault was locked', async () => {
    const dashboard = await DashboardClient.signInByLink(server);
    const gate = Promise.withResolvers<void>();
    provider.gate = gate.promise;
    const asked = provider.refreshCount;
    const unheard = refreshUnheard();
    await waitFor(() => provider.refreshCount > asked, { what: 'the request for a token' });
    await dashboard.call('POST /api/v1/vault/lock');
    provider.gate = undefined;
    gate.resolve();
    expect(await unheard).toMatchObject({ status: 423 });
    await server.kill();

    await server.restart();
    await expectNewestTokens();
  });

  it(`loses no token in ${ROUNDS} kills as soon as the answer has come`, async () => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const before = provider.accessToken;
      const unheard = refreshUnheard();
      // The response has arrived once the journal contains it or, when that was faster, the database does.
      let isHeard = false;
      void unheard.then(() => {
        isHeard = true;
      });
      while (!isHeard && (await journalBytes()) === 0) await new Promise((resolve) => setImmediate(resolve));
      expect(provider.accessToken).not.toBe(before);
      await server.kill();
      await unheard;
      await server.restart();
      await expectNewestTokens();
    }
  });
});

describe('a journal that cannot be written', () => {
  const journal = () => join(home.path, 'journal');

  beforeAll(async () => {
    await rm(journal(), { recursive: true, force: true });
    // Simulates a full disk, for any user that runs the test.
    await writeFile(journal(), '');
  });
  afterAll(() => rm(journal(), { force: true }));

  it('costs no token while the database can be written', { tags: ['nightly'] }, async () => {
    for (let round = 1; round <= 2; round += 1) {
      expect((await api.send(`${CONNECTION}&force_refresh=true`)).status).toBe(200);
      await expectNewestTokens();
    }
  });

  it('costs no token while the database is locked, and reports it', async () => {
    const release = await holdDatabase();
    const before = provider.refreshCount;
    const refused = await api.send(`${CONNECTION}&force_refresh=true`);
    expect(refused.status).toBe(500);
    expect(provider.refreshCount).toBe(before + 1);
    expect(server.errorOutput()).toContain('Homeport holds them in memory');
    await release();

    expect((await api.send(`${CONNECTION}&force_refresh=true`)).status).toBe(200);
    await expectNewestTokens();
  });

  // Without an earlier start, whose writes would also wait for the database, 5 s each.
  it('is stored from memory by an orderly end, and lets the server start', async () => {
    const release = await holdDatabase();
    expect((await api.send(`${CONNECTION}&force_refresh=true`)).status).toBe(500);
    await release();
    await server.restart();

    await expectNewestTokens();
  });
});
