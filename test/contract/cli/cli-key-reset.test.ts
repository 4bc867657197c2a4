import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importConnection, officialClient, PRACTICE_KEY } from '../../support/import-practice-connection.ts';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { STORY_LIMIT_MS, step } from '../../support/step.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

const LOST_KEY = randomBytes(32).toString('base64');
const NEXT_KEY = randomBytes(32).toString('base64');

let home: TempHome;
let server: InProcessServer;
beforeAll(async () => {
  home = await createTempHome();
  server = await startInProcess({ home: home.path, hasExamples: true, env: { HOMEPORT_MASTER_KEY: LOST_KEY } });
  const nango = officialClient(server);
  await nango.createIntegration({ provider: 'practice', unique_key: 'practice', display_name: 'Our tracker' });
  await nango.createIntegration({
    provider: 'github',
    unique_key: 'code',
    credentials: { type: 'OAUTH2', client_id: 'app', client_secret: 'app-secret', scopes: 'repo' },
  });
  await importConnection(server, {
    provider_config_key: 'practice',
    connection_id: 'me',
    metadata: { team: 'blue' },
    tags: { plan: 'pro' },
  });
  await importConnection(server, {
    provider_config_key: 'code',
    connection_id: 'repo',
    credentials: { type: 'OAUTH2', access_token: 'old-token', no_expiration: true },
  });
  await call('PATCH', '/environment/settings', {
    callback_url: 'http://localhost:4000/back',
    variables: [{ name: 'COLOUR', value: 'green' }],
  });
  await call('POST', '/sync/trigger', {
    provider_config_key: 'practice',
    connection_id: 'me',
    syncs: ['fetch-issues'],
  });
  await waitFor(async () => (await records()).length > 0, { what: 'records' });
});
afterAll(async () => {
  await server.stop();
  await home.remove();
});

const cli = (args: string[], masterKey: string): Promise<CliRun> =>
  runCli(args, { cwd: home.path, home: home.path, env: { HOMEPORT_MASTER_KEY: masterKey } });

async function call(method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${server.secretKey}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

async function records(): Promise<unknown[]> {
  const page = await officialClient(server).listRecords({
    providerConfigKey: 'practice',
    connectionId: 'me',
    model: 'Issue',
  });
  return page.records;
}

it('key reset: one life of a data folder', { timeout: STORY_LIMIT_MS }, async () => {
  await step('changes nothing while a hub runs, while a key opens the data, and unasked', async () => {
    const whileRunning = await cli(['key', 'reset', '--auto-confirm'], LOST_KEY);
    await server.end();
    const withKey = await cli(['key', 'reset', '--auto-confirm'], LOST_KEY);
    const unasked = await cli(['key', 'reset'], NEXT_KEY);

    expect([whileRunning.status, whileRunning.errors]).toEqual([1, expect.stringContaining('Stop it')]);
    expect([withKey.status, withKey.errors]).toEqual([1, expect.stringContaining('opens the data')]);
    expect([unasked.status, unasked.errors]).toEqual([64, expect.stringContaining('--auto-confirm')]);
    expect((await cli(['key', 'status'], LOST_KEY)).status).toBe(0);
    const asJson = (await cli(['key', 'status', '--json'], NEXT_KEY)).json();
    expect(asJson.error.message).toMatch(/`node .*homeport\.mjs key reset` creates a new one/);
    expect((await cli(['key', 'status'], NEXT_KEY)).errors).toContain('key reset` creates a new one');
  });

  await step('keeps unsealed data, removes sealed data, and makes a key for apps', async () => {
    const reset = await cli(['key', 'reset', '--auto-confirm', '--json'], NEXT_KEY);

    expect(reset.errors).toBe('');
    const report = reset.json();
    expect(report.kept).toEqual({ environments: 1, integrations: 2, connections: 2, functions: expect.any(Number) });
    expect(report.lost).toMatchObject({ app_credentials: 1, connection_credentials: 2, variables: 1, api_keys: 1 });
    expect(report.lost.records).toBeGreaterThan(0);
    expect(report.keys).toEqual([{ environment: 'dev', secret_key: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
    expect(report.backup).toMatch(/-before-key-reset\.db$/);
    expect((await cli(['verify', report.backup], LOST_KEY)).output).toContain('opens it');

    server = await startInProcess({
      home: home.path,
      env: { HOMEPORT_MASTER_KEY: NEXT_KEY, HOMEPORT_SECRET_KEY: report.keys[0].secret_key },
    });
    const nango = officialClient(server);
    const { configs } = await nango.listIntegrations();
    expect(configs.map(({ unique_key, display_name }) => [unique_key, display_name])).toContainEqual([
      'practice',
      'Our tracker',
    ]);
    const settings = await (await call('GET', '/environment/settings')).json();
    expect(settings.data).toMatchObject({ callback_url: 'http://localhost:4000/back', variables: [] });
  });

  await step('marks every connection as one to connect again', async () => {
    const { connections } = await officialClient(server).listConnections();

    expect(connections.map(({ connection_id }) => connection_id).sort()).toEqual(['me', 'repo']);
    for (const { errors } of connections) expect(errors.map(({ type }) => type)).toEqual(['auth']);
    const me = connections.find(({ connection_id }) => connection_id === 'me');
    expect(me).toMatchObject({ metadata: { team: 'blue' }, tags: { plan: 'pro' } });
    for (const [key, id] of [
      ['practice', 'me'],
      ['code', 'repo'],
    ]) {
      const response = await call('GET', `/connections/${id}?provider_config_key=${key}`);
      expect([response.status, await response.text()]).toEqual([
        424,
        expect.stringContaining('Connect the account again'),
      ]);
      const forced = await call('GET', `/connections/${id}?provider_config_key=${key}&force_refresh=true`);
      expect(forced.status).toBe(424);
    }
    const relayed = await fetch(`${server.url}/proxy/v1/issues`, {
      headers: {
        authorization: `Bearer ${server.secretKey}`,
        'provider-config-key': 'practice',
        'connection-id': 'me',
      },
    });
    expect(relayed.status).toBe(424);
    expect(await records()).toEqual([]);
    const { configs } = await officialClient(server).listIntegrations();
    expect(configs).toHaveLength(2);
    const code = await (await call('GET', '/integrations/code?include=credentials')).text();
    expect(code).not.toContain('app-secret');
  });

  await step('is over for a connection once it has credentials again: records come back', async () => {
    await importConnection(server, { provider_config_key: 'practice', connection_id: 'me' });

    const connection = await officialClient(server).getConnection('practice', 'me');
    await call('POST', '/sync/trigger', {
      provider_config_key: 'practice',
      connection_id: 'me',
      syncs: ['fetch-issues'],
    });

    expect(connection.credentials).toMatchObject({ apiKey: PRACTICE_KEY });
    expect(connection.errors).toEqual([]);
    await waitFor(async () => (await records()).length > 0, { what: 'records' });
    await server.end();
    expect((await readdir(join(home.path, 'backups'))).some((name) => name.includes('before-key-reset'))).toBe(true);
    expect((await cli(['verify'], NEXT_KEY)).output).toContain('opens it');
  });

  await step('reports what was kept and what was lost', async () => {
    const { output } = await cli(['key', 'reset', '--auto-confirm'], randomBytes(32).toString('base64'));

    expect(output).toMatch(/kept {2}1 environment with its settings, 2 integrations, 2 connections with tags/);
    expect(output).toMatch(/lost {2}1 credential of a connection, \d+ records, 1 API key/);
    expect(output).toMatch(/secret key of dev {2}[0-9a-f-]{36}/);
  });
});
