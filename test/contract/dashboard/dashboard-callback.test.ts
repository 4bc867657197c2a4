import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import { DashboardClient } from './dashboard-client.ts';
import { type DashboardFixture, startDashboard } from './dashboard-fixture.ts';

let server: DashboardFixture;
let client: DashboardClient;
beforeAll(async () => {
  server = await startDashboard();
  client = await DashboardClient.signIn(server);
});
afterAll(() => server.close());

const CHANGE = 'PATCH /api/v1/callback';
const CHECK = 'POST /api/v1/callback/check';
const setCallback = (callbackUrl: string | null) => client.call(CHANGE, { body: { callbackUrl } });

describe('the callback address of the dashboard', () => {
  it("is the hub's own until the environment sets another one", async () => {
    const port = Number(new URL(server.url).port);
    const ownUrl = `http://localhost:${port}/oauth/callback`;
    expect(await client.call('GET /api/v1/callback')).toEqual({
      ...{ callbackUrl: ownUrl, setting: null, ownUrl, port },
      webhookBase: expect.stringMatching(/^http:\/\/localhost:\d+\/webhook\/[0-9a-f-]{36}\/$/),
    });

    const setting = 'https://hub.example.com/oauth/callback';
    expect(await setCallback(setting)).toMatchObject({ callbackUrl: setting, setting, ownUrl, port });
    expect(server.environments.findByName('dev')?.settings.callbackUrl).toBe(setting);

    expect(await client.call(CHANGE, { body: { callbackUrl: '' } })).toMatchObject({
      callbackUrl: ownUrl,
      setting: null,
    });
  });

  it('is shown with the integrations and used by authorizations', async () => {
    await client.call('POST /api/v1/integrations', { body: { provider: 'github', key: 'gh' } });
    await setCallback('https://hub.example.com/oauth/callback');

    const shown = await client.call('GET /api/v1/integrations/:integrationKey', { params: { integrationKey: 'gh' } });
    await setCallback(null);

    expect(shown.callbackUrl).toBe('https://hub.example.com/oauth/callback');
  });

  it('refuses a text that is not a web address', async () => {
    for (const body of [
      { callbackUrl: 'ftp://a.example' },
      { callbackUrl: 'callback' },
      {},
      { callbackUrl: null, x: 1 },
    ])
      expect(await client.refusal(CHANGE, { body })).toEqual({ status: 400, code: 'invalid_body' });
  });
});

describe('POST /api/v1/callback/check', () => {
  async function check(callbackUrl: string) {
    await setCallback(callbackUrl);
    try {
      return await client.call(CHECK);
    } finally {
      await setCallback(null);
    }
  }

  it.each(['localhost', '127.0.0.1', '[::1]'])('leaves the own port under the name %s to the page', async (name) => {
    expect(await check(`http://${name}:${new URL(server.url).port}/oauth/callback`)).toEqual({ found: 'own' });
  });

  it('finds nothing of the hub at another path of its port', async () => {
    expect(await check(`http://localhost:${new URL(server.url).port}/callback`)).toEqual({
      found: 'foreign',
      status: 404,
    });
  });

  it('tells a hub behind a tunnel, a redirector, and a stranger from each other', async () => {
    const provider = await FakeProvider.start();
    const responses = [
      { status: 400, headers: { 'x-homeport-page': 'callback' } },
      { status: 302, headers: { location: '/else?x=1' } },
      { status: 302, headers: { location: `http://localhost:${new URL(server.url).port}/oauth/callback?x=1` } },
      { status: 200, body: 'hello' },
    ];
    provider.on('GET /oauth/callback', () => responses.shift() ?? { status: 500 });
    try {
      const url = `${provider.address}/oauth/callback`;
      expect(await check(url)).toEqual({ found: 'hub' });
      expect(await check(url)).toEqual({ found: 'forwards', target: `${provider.address}/else?x=1` });
      expect(await check(url)).toEqual({ found: 'own' });
      expect(await check(url)).toEqual({ found: 'foreign', status: 200 });
    } finally {
      await provider.stop();
    }
  });

  it('reports that no program answers', async () => {
    const provider = await FakeProvider.start();
    await provider.stop();

    expect(await check(`${provider.address}/oauth/callback`)).toMatchObject({
      found: 'nothing',
      reason: expect.stringContaining('refused'),
    });
  });
});
