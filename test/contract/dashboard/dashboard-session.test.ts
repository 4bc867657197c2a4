import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DashboardRouteKey, dashboardRoutes } from '../../../server/contract/dashboard/dashboard-routes.ts';
import { DashboardClient } from './dashboard-client.ts';
import { type DashboardFixture, startDashboard } from './dashboard-fixture.ts';

let server: DashboardFixture;
beforeAll(async () => {
  server = await startDashboard();
});
afterAll(() => server.close());

const cookieName = (): string => `homeport_session_${new URL(server.url).port}`;
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
    expect(await response.json()).toEqual({ success: true, csrfToken: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const [name, attributes] = response.headers.get('set-cookie')?.split(/=[0-9a-f]{64}; /) ?? [];
    expect(name).toBe(cookieName());
    expect(attributes).toBe('HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000');
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
      headers: { origin: server.url, 'x-homeport-csrf': '1', cookie: `${cookieName()}=${'0'.repeat(64)}` },
    });

    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { code: 'missing_auth_header' } });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('refuses foreign pages even with the cookie, reads included', async () => {
    const { cookie, csrfToken } = await DashboardClient.signIn(server);
    const read = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${server.url}/api/v1/meta`, { headers: { cookie, 'x-homeport-csrf': csrfToken, ...headers } });

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

describe('a session', () => {
  const send = (path: string, headers: Record<string, string>): Promise<Response> =>
    fetch(`${server.url}${path}`, { headers });

  it.each(['/api/v1/meta', '/api/v1/events?env=dev'])(
    'opens %s with both secrets only: what listens on another port gets no more than the cookie',
    async (path) => {
      const { cookie, csrfToken } = await DashboardClient.signIn(server);
      const other = await DashboardClient.signIn(server);

      expect((await send(path, { cookie })).status).toBe(401);
      expect((await send(path, { cookie, 'x-homeport-csrf': '1' })).status).toBe(401);
      expect((await send(path, { cookie, 'x-homeport-csrf': other.csrfToken })).status).toBe(401);
      expect((await send(path, { 'x-homeport-csrf': csrfToken })).status).toBe(401);
      const response = await send(path, { cookie, 'x-homeport-csrf': csrfToken });
      expect(response.status).toBe(200);
      await response.body?.cancel();
    },
  );

  it('reveals nothing to a program that has the cookie and writes its headers by hand', async () => {
    const { cookie } = await DashboardClient.signIn(server);
    const response = await fetch(`${server.url}/api/v1/reveal?env=dev`, {
      method: 'POST',
      headers: { cookie, origin: server.url, 'x-homeport-csrf': '1', 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'secret_key' }),
    });

    expect(response.status).toBe(401);
  });

  it('is listed by its browser and can be ended, one or all others; open streams end with it', async () => {
    const own = await DashboardClient.signIn(server);
    const other = await DashboardClient.signIn(server);
    const stream = await send('/api/v1/events?env=dev', { cookie: other.cookie, 'x-homeport-csrf': other.csrfToken });

    const { data } = await own.call('GET /api/v1/sessions');
    const { data: ofOther } = await other.call('GET /api/v1/sessions');
    const otherId = ofOther.find(({ isCurrent }) => isCurrent)?.id ?? '';
    await own.call('DELETE /api/v1/sessions/:sessionId', { params: { sessionId: otherId } });

    expect(data.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
    expect(data.map(({ id }) => id)).toContain(otherId);
    // Reads to the end of the stream.
    await stream.text();
    expect(await other.refusal('GET /api/v1/meta')).toEqual({ status: 401, code: 'missing_auth_header' });
    expect(await own.refusal('DELETE /api/v1/sessions/:sessionId', { params: { sessionId: otherId } })).toMatchObject({
      status: 404,
    });

    const third = await DashboardClient.signIn(server);
    expect((await own.call('DELETE /api/v1/sessions')).ended).toBeGreaterThan(0);
    expect((await third.refusal('GET /api/v1/meta')).status).toBe(401);
    expect((await own.call('GET /api/v1/sessions')).data).toHaveLength(1);
  });

  it('ends when its browser signs out, and when the same browser signs in again', async () => {
    const first = await DashboardClient.signIn(server);
    const again = await fetch(`${server.url}/api/v1/session`, {
      method: 'POST',
      headers: {
        cookie: first.cookie,
        origin: server.url,
        'x-homeport-csrf': '1',
        'content-type': 'application/json',
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      },
      body: JSON.stringify({ code: server.signIn.issueLinkCode() }),
    });
    expect(again.status).toBe(200);
    expect((await first.refusal('GET /api/v1/meta')).status).toBe(401);

    const client = await DashboardClient.signIn(server);
    const { data } = await client.call('GET /api/v1/sessions');
    expect(data.map(({ browser }) => browser)).toContain('Firefox on Linux');
    const response = await client.send('DELETE /api/v1/session');
    expect(response.headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await client.refusal('GET /api/v1/meta')).status).toBe(401);
  });
});

describe('GET /api/v1/meta', () => {
  it('tells version, addresses and environments', async () => {
    const client = await DashboardClient.signIn(server);

    expect(await client.call('GET /api/v1/meta')).toMatchObject({
      version: '1.2.3',
      apiUrl: server.url,
      callbackUrl: `${server.url.replace('127.0.0.1', 'localhost')}/oauth/callback`,
      environments: [{ name: 'dev', isProduction: false, colour: 'petrol' }],
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
