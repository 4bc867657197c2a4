import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DashboardRouteKey, dashboardRoutes } from '../../../server/contract/dashboard/dashboard-routes.ts';
import { DashboardClient } from './dashboard-client.ts';
import { type DashboardFixture, startDashboard } from './dashboard-fixture.ts';

let server: DashboardFixture;
beforeAll(async () => {
  server = await startDashboard();
});
afterAll(() => server.close());

const change = (headers: Record<string, string>): Promise<Response> =>
  fetch(`${server.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ code: server.signIn.issueLinkCode() }),
  });

describe('POST /api/v1/session', () => {
  it('exchanges a link code for a cookie that scripts and other sites cannot use', async () => {
    const response = await change({ origin: server.url, 'x-homeport-csrf': '1' });

    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ success: true });
    expect(response.headers.get('set-cookie')).toMatch(
      /^homeport_session=[0-9a-f]{64}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=\d+$/,
    );
  });

  it('takes each code once and a pairing code too', async () => {
    const pairing = server.signIn.issuePairingCode();
    const send = (code: string): Promise<Response> =>
      fetch(`${server.url}/api/v1/session`, {
        method: 'POST',
        headers: { origin: server.url, 'x-homeport-csrf': '1', 'content-type': 'application/json' },
        body: JSON.stringify({ code }),
      });

    expect((await send(pairing)).status).toBe(200);
    const again = await send(pairing);
    expect(again.status).toBe(401);
    expect(again.headers.get('set-cookie')).toBeNull();
  });

  it.each([
    ['no CSRF header', () => ({ origin: server.url })],
    ['no Origin', () => ({ 'x-homeport-csrf': '1' })],
    ['a foreign Origin', () => ({ origin: 'http://127.0.0.1:9', 'x-homeport-csrf': '1' })],
    ['an opaque Origin', () => ({ origin: 'null', 'x-homeport-csrf': '1' })],
  ])('refuses %s', async (_, headers) => {
    const response = await change(headers() as Record<string, string>);

    expect(response.status).toBe(403);
    expect(response.headers.get('set-cookie')).toBeNull();
  });
});

describe('every route of the dashboard', () => {
  const keys = (Object.keys(dashboardRoutes) as DashboardRouteKey[]).filter((key) => key !== 'POST /api/v1/session');

  it.each(keys)('%s asks for the session', async (key) => {
    const [method = '', path = ''] = key.split(' ');
    const response = await fetch(`${server.url}${path.replaceAll(':', '')}?env=dev`, {
      method,
      headers: { origin: server.url, 'x-homeport-csrf': '1', cookie: `homeport_session=${'0'.repeat(64)}` },
    });

    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { code: 'missing_auth_header' } });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('refuses foreign pages even with the cookie, reads included', async () => {
    const { cookie } = await DashboardClient.signIn(server);
    const read = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${server.url}/api/v1/meta`, { headers: { cookie, ...headers } });

    expect((await read({})).status).toBe(200);
    expect((await read({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      expect((await read(headers)).status).toBe(403);
    }
  });

  it('refuses changes without the CSRF header', async () => {
    const { cookie } = await DashboardClient.signIn(server);
    const response = await fetch(`${server.url}/api/v1/practice?env=dev`, {
      method: 'POST',
      headers: { cookie, origin: server.url },
    });

    expect(response.status).toBe(403);
  });

  it('refuses unknown query members and unknown environments', async () => {
    const client = await DashboardClient.signIn(server);

    expect(await client.refusal('GET /api/v1/connections', { query: { colour: 'red' } })).toEqual({
      status: 400,
      code: 'invalid_query_params',
    });
    expect(await client.refusal('GET /api/v1/connections', { query: { env: 'nowhere' } })).toEqual({
      status: 404,
      code: 'not_found',
    });
  });
});

describe('GET /api/v1/meta', () => {
  it('tells version, addresses and environments', async () => {
    const client = await DashboardClient.signIn(server);

    expect(await client.call('GET /api/v1/meta')).toMatchObject({
      version: '1.2.3',
      apiUrl: server.url,
      callbackUrl: `${server.url.replace('127.0.0.1', 'localhost')}/oauth/callback`,
      environments: [{ name: 'dev', isProduction: false }],
    });
  });

  it('refuses names of environments that are taken or are paths', async () => {
    const client = await DashboardClient.signIn(server);

    expect(await client.refusal('POST /api/v1/environments', { body: { name: 'dev' } })).toEqual({
      status: 409,
      code: 'conflict',
    });
    expect(await client.refusal('POST /api/v1/environments', { body: { name: 'proxy' } })).toEqual({
      status: 400,
      code: 'invalid_body',
    });
  });
});
