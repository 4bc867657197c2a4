import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IntegrationDetail } from '../../../server/integrations/dashboard-integrations.contract.ts';
import { FakeProvider } from '../../support/fake-provider.ts';
import { importConnection } from '../../support/import-practice-connection.ts';
import { runCli } from '../../support/run-cli.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ApiCaller } from './api-caller.ts';

const CALL = { headers: { 'provider-config-key': 'own', 'connection-id': 'c' } };

let home: TempHome;
let server: InProcessServer;
let api: ApiCaller;
let dashboard: DashboardClient;
let first: FakeProvider;
let second: FakeProvider;

beforeAll(async () => {
  home = await createTempHome();
  first = await FakeProvider.start();
  second = await FakeProvider.start();
  for (const provider of [first, second]) provider.on('GET /x', { body: {} });
  server = await startInProcess({ home: home.path });
  api = new ApiCaller(server);
  dashboard = await DashboardClient.signIn({ url: server.url, signIn: server });
});
afterAll(async () => {
  await server?.stop();
  await first?.stop();
  await second?.stop();
  await home?.remove();
});

const entry = (address: string, name = 'Own'): string => `own:
  display_name: ${name}
  auth_mode: API_KEY
  credentials: { apiKey: { type: string, title: Key, description: A key, secret: true } }
  proxy: { base_url: "${address}", headers: { x-key: "\${apiKey}" } }
`;

/** Saves the file and waits until the hub has read it. */
async function save(text: string, isRead: () => Promise<boolean>): Promise<void> {
  await writeFile(join(server.workspace, 'providers.yaml'), text);
  await waitFor(isRead, { what: 'the reading of providers.yaml' });
}

async function provider(name: string): Promise<Record<string, unknown>> {
  return ((await api.send(`GET /providers/${name}`)).body as { data: Record<string, unknown> }).data;
}

const waiting = async () => (await dashboard.call('GET /api/v1/provider-changes')).data;
const detail = (key: string): Promise<IntegrationDetail> =>
  dashboard.call('GET /api/v1/integrations/:integrationKey', { params: { integrationKey: key } });

describe('an entry of the workspace', () => {
  it('of its own applies at once until a connection uses it; then changes of address and removals wait', async () => {
    // At once.
    await save(entry(first.address), async () => (await provider('own'))?.['source'] === 'workspace');
    await api.send('POST /integrations', { body: { provider: 'own', unique_key: 'own' } });
    const imported = await importConnection(server, {
      provider_config_key: 'own',
      connection_id: 'c',
      credentials: { type: 'API_KEY', apiKey: 'canary' },
    });
    expect(imported.status).toBe(201);

    // A changed address waits.
    await save(entry(second.address), async () => (await waiting()).length === 1);
    await api.send('GET /proxy/x', CALL);

    expect([first.requests.length, second.requests.length]).toEqual([1, 0]);
    expect(await waiting()).toEqual([
      {
        provider: 'own',
        kind: 'change',
        hash: expect.any(String),
        changes: [{ keyPath: 'proxy.base_url', before: first.address, after: second.address }],
      },
    ]);
    expect((await detail('own')).pendingChange).toMatchObject({ provider: 'own', kind: 'change' });

    // It is approved only as it was shown.
    expect(
      await dashboard.refusal('POST /api/v1/providers/:provider/approve', {
        params: { provider: 'own' },
        body: { hash: 'of something else' },
      }),
    ).toEqual({ status: 409, code: 'conflict' });

    // It is shown and approved on the command line.
    const cli = (...args: string[]) => runCli(args, { cwd: home.path, home: home.path });

    expect((await cli('providers')).output).toContain(`proxy.base_url: ${first.address} → ${second.address}`);
    expect((await cli('providers', 'approve', 'none')).errors).toContain('Nothing waits');
    expect((await cli('providers', 'approve', 'own', '--no-interactive')).status).not.toBe(0);
    expect((await cli('providers', 'approve', 'own', '--auto-confirm')).status).toBe(0);

    await api.send('GET /proxy/x', CALL);
    expect(second.requests).toHaveLength(1);
    expect(await waiting()).toEqual([]);

    // Names and texts may change at any time.
    await save(entry(second.address, 'Renamed'), async () => (await provider('own'))['display_name'] === 'Renamed');

    expect(await waiting()).toEqual([]);

    // The removal waits too.
    await save('', async () => (await waiting()).length === 1);
    expect(await waiting()).toMatchObject([{ provider: 'own', kind: 'removal' }]);

    await api.send('GET /proxy/x', CALL);
    expect(second.requests).toHaveLength(2);
  });

  it('that changes a built-in provider is marked', async () => {
    await api.send('POST /integrations', { body: { provider: 'practice', unique_key: 'practice' } });
    expect(await provider('practice')).toMatchObject({ source: 'built-in' });
    expect(await detail('practice')).toMatchObject({ providerSource: 'built-in', pendingChange: null });

    await save(
      'practice: { proxy: { headers: { x-more: "1" } } }\n',
      async () => (await provider('practice'))?.['source'] === 'override',
    );

    expect(await detail('practice')).toMatchObject({ providerSource: 'override', pendingChange: null });
    expect((await waiting()).filter((change) => change.provider === 'practice')).toEqual([]);
  });
});
