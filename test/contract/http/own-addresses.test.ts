import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importConnection } from '../../support/import-practice-connection.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ApiCaller } from './api-caller.ts';

let server: InProcessServer;
let api: ApiCaller;

const PUBLIC_URL = 'https://tunnel.example.com';
const KEY = { provider_config_key: 'practice' };
const END_USER = { end_user: { id: 'user-1' } };

beforeAll(async () => {
  server = await startInProcess();
  api = new ApiCaller(server);
  await api.send('PATCH /environment/settings', { body: { public_url: PUBLIC_URL } });
  await api.send('POST /integrations', { body: { provider: 'practice', unique_key: 'practice' } });
  await importConnection(server, { ...KEY, connection_id: 'me' });
});
afterAll(() => server?.stop());

const credentials = { type: 'API_KEY', apiKey: 'practice-demo-key' };
const inDefaults = (url: string) => ({
  ...END_USER,
  integrations_config_defaults: { practice: { connection_config: { webhook_url: url } } },
});
const OVERRIDE = 'webhook_url_override';

/** Every call that sets a webhook address of one connection, and the place of the address in it (http-api.md 1.5). */
const CALLS: Array<[route: string, body: (url: string) => object, path: string]> = [
  ['POST /connections', (url) => ({ ...KEY, connection_id: 'new', credentials, [OVERRIDE]: url }), OVERRIDE],
  ['POST /connection', (url) => ({ ...KEY, connection_id: 'new', api_key: 'k', [OVERRIDE]: url }), OVERRIDE],
  ['PATCH /connections/me?provider_config_key=practice', (url) => ({ [OVERRIDE]: url }), OVERRIDE],
  ['POST /connect/sessions', (url) => ({ ...END_USER, [OVERRIDE]: url }), OVERRIDE],
  ['POST /connect/sessions', inDefaults, 'integrations_config_defaults.practice.connection_config.webhook_url'],
  [
    'POST /connect/sessions/reconnect',
    (url) => ({ connection_id: 'me', integration_id: 'practice', [OVERRIDE]: url }),
    OVERRIDE,
  ],
];

describe.each(CALLS)('the webhook address in %s', (route, body, path) => {
  it('may not be the hub itself, under any of its names', async () => {
    const { port } = new URL(server.url);
    const own = [server.url, `http://localhost:${port}/hook`, `http://[::1]:${port}`, `${PUBLIC_URL}/hook`];

    for (const url of own)
      expect(await api.refusal(route, { body: body(url) }), url).toEqual({
        status: 400,
        code: 'invalid_body',
        issues: [`custom ${path}`],
      });
    const { body: list } = await api.send('GET /connections?connectionId=new');
    expect(list).toEqual({ connections: [] });
  });

  it('may be another program of this computer', async () => {
    const { status } = await api.send(route, { body: body('http://localhost:8080/hook') });

    expect(status).toBeLessThan(300);
    await api.send('DELETE /connections/new?provider_config_key=practice');
  });
});

describe('the webhook address of a connection in the dashboard', () => {
  it('may not be the hub itself either', async () => {
    const dashboard = await DashboardClient.signIn({ url: server.url, signIn: server });
    const params = { integrationKey: 'practice', connectionId: 'me' };

    expect(
      await dashboard.refusal('PATCH /api/v1/connections/:integrationKey/:connectionId', {
        params,
        body: { webhookUrl: server.url },
      }),
    ).toEqual({ status: 400, code: 'invalid_body' });
    expect(
      await dashboard.refusal('POST /api/v1/connect-sessions', {
        body: { integrationKey: 'practice', webhookUrlOverride: server.url },
      }),
    ).toEqual({ status: 400, code: 'invalid_body' });
  });
});
