import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publicRoutes, type RouteServices } from '../../../server/route-table.ts';
import { MovableClock } from '../../support/movable-clock.ts';
import { type ReverseProxy, startReverseProxy } from '../../support/reverse-proxy.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { type ScriptedHub, startScriptedHub } from './scripted-hub.ts';

const PUBLIC_HOST = 'hub.example.com';
const PUBLIC_URL = `https://${PUBLIC_HOST}`;

/** How tunnels forward a request. */
const TUNNELS: Record<string, (headers: IncomingHttpHeaders) => IncomingHttpHeaders> = {
  'keeps the host': (headers) => ({ ...headers, host: PUBLIC_HOST }),
  'keeps the host and a port, in capitals': (headers) => ({ ...headers, host: `${PUBLIC_HOST.toUpperCase()}:443` }),
  'rewrites the host and adds X-Forwarded-*': (headers) => ({
    ...headers,
    host: 'localhost:3003',
    'x-forwarded-host': PUBLIC_HOST,
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-proto': 'https',
  }),
  'rewrites the host and adds what Cloudflare does': (headers) => ({
    ...headers,
    host: '127.0.0.1',
    'cf-connecting-ip': '203.0.113.9',
  }),
  'rewrites the host and adds Forwarded': (headers) => ({
    ...headers,
    host: 'localhost',
    forwarded: 'for=203.0.113.9',
  }),
};
const OPEN_ROUTES = [
  'GET /app-auth/connect',
  'GET /oauth/callback',
  'GET /oauth/clients/:environmentUuid',
  'POST /webhook/:environmentUuid/:providerConfigKey',
];
const OTHER_PATHS = ['/', '/app/', '/connect/', '/api/v1/meta', '/api/v1/events?env=dev', '/images/x.svg', '/nowhere'];
const NEAR_PATHS = [
  '/webhook',
  '/webhook/',
  '/oauth/callback/x',
  '/oauth/callbacks',
  '/x/webhook/a/b',
  '//webhook/a/b',
];

let hub: ScriptedHub;
const clock = new MovableClock();

beforeAll(async () => {
  hub = await startScriptedHub({ clock });
  await hub.api.send('PATCH /environment/settings', { body: { public_url: PUBLIC_URL } });
});
afterAll(() => hub?.stop());

/** Every route of the table and the pages, as `METHOD /path`. */
function everyRoute(): string[] {
  const routes = publicRoutes({} as RouteServices).map(({ method, path }) => {
    const verb = method === 'all' ? 'GET' : method.toUpperCase();
    return `${verb} ${path instanceof RegExp ? '/proxy/x' : path}`;
  });
  return [...routes, ...[...OTHER_PATHS, ...NEAR_PATHS].map((path) => `GET ${path}`)];
}

describe.each(Object.entries(TUNNELS))('a tunnel that %s', (_how, rewrite) => {
  let tunnel: ReverseProxy;
  beforeAll(async () => {
    tunnel = await startReverseProxy(hub.server.url, rewrite);
  });
  afterAll(() => tunnel?.stop());

  const open = (): ApiCaller => new ApiCaller({ url: tunnel.address, secretKey: hub.server.secretKey });

  it('reaches the webhooks, the callback and the installation of apps, and nothing else', async () => {
    const reached: string[] = [];
    for (const route of everyRoute()) {
      const { status } = await open().send(route.replace(/:\w+/g, 'x').replace('*path', 'x'));
      if (status !== 421) reached.push(route);
    }

    expect(reached.sort()).toEqual(OPEN_ROUTES);
  });

  it.each(['GET', 'PUT', 'DELETE', 'OPTIONS'])('takes no %s where webhooks are posted', async (method) => {
    expect((await open().send(`${method} ${hub.path}`)).status).toBe(421);
  });

  it.each(['HEAD', 'POST', 'OPTIONS'])('takes no %s where browsers come back', async (method) => {
    for (const path of ['/oauth/callback', '/app-auth/connect'])
      expect((await open().send(`${method} ${path}`)).status).toBe(421);
  });

  it('brings a webhook with its body', async () => {
    const { status, bytes } = await open().send(`POST ${hub.path}`, {
      body: { tunnelled: true, targets: [] },
      headers: { authorization: undefined },
    });

    expect([status, bytes.toString()]).toEqual([200, '{"status":"success"}']);
    await hub.receiver.webhooks(1, ({ tunnelled }) => tunnelled);
  });
});

describe('a request to this computer’s own name', () => {
  it('is served everywhere while a public address is set', async () => {
    expect((await hub.api.send('GET /health')).status).toBe(200);
    expect((await hub.api.send('GET /connections')).status).toBe(200);
    expect((await hub.send({ targets: [] })).status).toBe(200);
  });

  it('is served under no other public name', async () => {
    const headers = { host: 'other.example.com' };

    expect(await hub.api.refusal(`POST ${hub.path}`, { body: {}, headers })).toEqual({
      status: 421,
      code: 'misdirected_request',
    });
  });
});

describe('the address of webhooks', () => {
  it('is the public one everywhere it is shown, at once', async () => {
    const client = await DashboardClient.signIn({ url: hub.server.url, signIn: hub.server });
    const shown = async (): Promise<string[]> => {
      const { body } = await hub.api.send('GET /integrations/scripted?include=webhook');
      const params = { integrationKey: 'scripted' };
      const detail = await client.call('GET /api/v1/integrations/:integrationKey', { params });
      return [(body as { data: { webhook_url: string } }).data.webhook_url, detail.webhookUrl];
    };

    expect(await shown()).toEqual([`${PUBLIC_URL}${hub.path}`, `${PUBLIC_URL}${hub.path}`]);
    await hub.api.send('PATCH /environment/settings', { body: { public_url: null } });
    const own = `http://localhost:${new URL(hub.server.url).port}${hub.path}`;
    expect(await shown()).toEqual([own, own]);
    await hub.api.send('PATCH /environment/settings', { body: { public_url: PUBLIC_URL } });
  });

  it('takes the variable before the setting', async () => {
    const other = await startScriptedHub({ env: { HOMEPORT_PUBLIC_URL: 'https://fixed.example.com' } });
    await other.api.send('PATCH /environment/settings', { body: { public_url: PUBLIC_URL } });

    const { body } = await other.api.send('GET /integrations/scripted?include=webhook');
    const byName = await other.api.send(`POST ${other.path}`, { body: {}, headers: { host: 'fixed.example.com' } });
    await other.stop();

    expect(body).toMatchObject({ data: { webhook_url: `https://fixed.example.com${other.path}` } });
    expect(byName.status).toBe(200);
  });
});

describe('the rate of calls', () => {
  const PER_MINUTE = 4000;
  const burst = async (path: string, headers: Record<string, string>): Promise<number[]> => {
    const statuses: number[] = [];
    for (let sent = 0; sent <= PER_MINUTE; sent += 50) {
      const some = Array.from({ length: 50 }, () => hub.api.send(`POST ${path}`, { headers }));
      statuses.push(...(await Promise.all(some)).map(({ status }) => status));
    }
    return statuses;
  };

  it('is limited on the public address, path by path, and not on this computer', { tags: ['slow'] }, async () => {
    // An environment that does not exist.
    const path = '/webhook/rate/limited';
    clock.skip(60_000);
    const outside = await burst(path, { host: PUBLIC_HOST });

    expect(outside.filter((status) => status !== 429)).toHaveLength(PER_MINUTE);
    const { status, headers, body } = await hub.api.send(`POST ${path}`, { headers: { host: PUBLIC_HOST } });
    expect([status, body]).toEqual([429, { error: { code: 'too_many_request', method: 'POST', path } }]);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect((await hub.api.send('POST /webhook/rate/other', { headers: { host: PUBLIC_HOST } })).status).toBe(400);
    expect((await burst(path, { host: 'localhost' })).every((one) => one === 400)).toBe(true);

    clock.skip(60_000);
    expect((await hub.api.send(`POST ${path}`, { headers: { host: PUBLIC_HOST } })).status).toBe(400);
  });
});
