import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import { importConnection } from '../../support/import-practice-connection.ts';
import type { InProcessServer } from '../../support/start-in-process.ts';
import { ApiCaller } from './api-caller.ts';
import { providersOfEveryMode, startWithProviders } from './workspace-providers.ts';

let server: InProcessServer;
let api: ApiCaller;
let provider: FakeProvider;
let neighbour: FakeProvider;

beforeAll(async () => {
  [provider, neighbour] = await Promise.all([FakeProvider.start(), FakeProvider.start()]);
  server = await startWithProviders(providersOfEveryMode(provider.address));
  api = new ApiCaller(server);
  for (const key of ['own-key', 'own-hosted', 'practice']) {
    await api.send('POST /integrations', { body: { provider: key, unique_key: key } });
  }
  await importConnection(server, {
    provider_config_key: 'own-key',
    connection_id: 'c',
    credentials: { type: 'API_KEY', apiKey: 'the-key' },
  });
  await importConnection(server, { provider_config_key: 'practice', connection_id: 'c' });
});
afterAll(async () => {
  await server?.stop();
  await provider?.stop();
  await neighbour?.stop();
});
beforeEach(() => {
  provider.requests.length = 0;
  neighbour.requests.length = 0;
  for (const one of [provider, neighbour]) one.on('GET /x', { body: { ok: true } });
});

const headers = (more: Record<string, string> = {}) => ({
  'provider-config-key': 'own-key',
  'connection-id': 'c',
  ...more,
});
const port = (address: string): string => new URL(address).port;
const NOT_ALLOWED = { status: 400, code: 'base_url_override_not_allowed' };

describe("a caller's base address", () => {
  const spellings = [
    'http://127.0.0.1',
    'http://localhost',
    'http://LOCALHOST.',
    'http://sub.localhost',
    'http://[::1]',
    'http://0.0.0.0',
    'http://[::]',
    'http://127.1',
    'http://2130706433',
    'http://0x7f000001',
    'http://0177.0.0.1',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:7f00:1]',
    'http://[64:ff9b::7f00:1]',
    'http://user:pass@127.0.0.1',
    'http://127。0。0。1',
    'http://127.255.255.254',
  ];

  it.each(spellings)('may not be the hub itself: %s', async (host) => {
    const override = `${host}:${port(server.url)}`;

    expect(
      await api.refusal('GET /proxy/health', { headers: headers({ 'base-url-override': encodeHost(override) }) }),
    ).toEqual(NOT_ALLOWED);
  });

  it.each(spellings)("may not be the caller's own computer: %s", async (host) => {
    const override = encodeHost(`${host}:${port(neighbour.address)}`);

    expect(await api.refusal('GET /proxy/x', { headers: headers({ 'base-url-override': override }) })).toEqual(
      NOT_ALLOWED,
    );
    expect(
      await api.refusal('GET /proxy/x', {
        headers: { ...headers({ 'base-url-override': override }), 'provider-config-key': 'practice' },
      }),
    ).toEqual(NOT_ALLOWED);
    expect(neighbour.requests).toEqual([]);
  });

  it.each([
    '10.0.0.1',
    '192.168.1.1',
    '172.16.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '[fe80::1]',
    '[fd00::1]',
    '[::ffff:10.0.0.1]',
    'metadata.google.internal',
  ])('may not be private: %s', async (host) => {
    expect(await api.refusal('GET /proxy/x', { headers: headers({ 'base-url-override': `http://${host}` }) })).toEqual(
      NOT_ALLOWED,
    );
  });

  it.each(['ftp://provider.test', 'file:///etc/passwd', 'javascript:alert(1)', 'data:text/plain,x'])(
    'may not be %s',
    async (override) => {
      expect(await api.refusal('GET /proxy/x', { headers: headers({ 'base-url-override': override }) })).toEqual(
        NOT_ALLOWED,
      );
    },
  );

  it('leads credentials to other hosts only for a key that may read them', async () => {
    const { data } = (
      await api.send('POST /environment/api-keys', { body: { display_name: 'calls', scopes: ['environment:proxy'] } })
    ).body as { data: { secret: string } };
    const limited = new ApiCaller({ url: server.url, secretKey: data.secret });
    const to = (address: string) => ({ headers: headers({ 'base-url-override': address }) });

    expect((await limited.send('GET /proxy/x', to(provider.address))).status).toBe(200);
    for (const address of ['https://evil.test', neighbour.address, `http://localhost:${port(provider.address)}`])
      expect(await limited.refusal('GET /proxy/x', to(address))).toEqual({
        status: 403,
        code: 'base_url_override_forbidden',
      });
    expect((await api.send('GET /proxy/x', to('https://evil.test'))).body).toMatchObject({ code: 'ENOTFOUND' });
    await api.send('PATCH /environment/settings', { body: { allowed_hosts: [new URL(neighbour.address).host] } });
    expect((await limited.send('GET /proxy/x', to(neighbour.address))).status).toBe(200);
    await api.send('PATCH /environment/settings', { body: { allowed_hosts: [] } });
  });

  it('can be switched off for the environment', async () => {
    const withOverride = { headers: headers({ 'base-url-override': provider.address }) };
    await api.send('PATCH /environment/settings', { body: { allow_base_url_override: false } });
    expect(await api.refusal('GET /proxy/x', withOverride)).toEqual({
      status: 400,
      code: 'base_url_override_disabled',
    });
    expect((await api.send('GET /proxy/x', { headers: headers() })).status).toBe(200);

    await api.send('PATCH /environment/settings', { body: { allow_base_url_override: true } });
    expect((await api.send('GET /proxy/x', withOverride)).status).toBe(200);
  });

  it("may be the provider's own", async () => {
    const response = await api.send('GET /proxy/x', { headers: headers({ 'base-url-override': provider.address }) });

    expect(response.status).toBe(200);
  });
});

describe('redirects', () => {
  it.each(['302', '303', '307'])('to a neighbour on this computer are refused (%s)', async (status) => {
    provider.on('GET /x', { status: Number(status), headers: { location: `${neighbour.address}/x` } });

    expect(await api.refusal('GET /proxy/x', { headers: headers() })).toEqual(NOT_ALLOWED);
    expect(neighbour.requests).toEqual([]);
  });

  it.each(['http://169.254.169.254/latest', 'http://10.0.0.1/', 'http://[::1]:1/', 'file:///etc/passwd'])(
    'to %s are refused',
    async (location) => {
      provider.on('GET /x', { status: 302, headers: { location } });

      expect(await api.refusal('GET /proxy/x', { headers: headers() })).toEqual(NOT_ALLOWED);
    },
  );

  it('to the hub itself are refused', async () => {
    provider.on('GET /x', { status: 302, headers: { location: `${server.url}/health` } });

    expect(await api.refusal('GET /proxy/x', { headers: headers() })).toEqual(NOT_ALLOWED);
  });

  it('within the provider are followed, five at most', async () => {
    provider.on('GET /start', { status: 302, headers: { location: '/x' } });
    provider.on('GET /round', { status: 302, headers: { location: '/round' } });

    expect((await api.send('GET /proxy/start', { headers: headers() })).body).toEqual({ ok: true });
    const round = await api.send('GET /proxy/round', { headers: headers() });
    expect([round.status, round.body]).toEqual([
      500,
      { message: expect.any(String), code: expect.any(String), method: 'GET' },
    ]);
    expect(provider.requestsTo('/round')).toHaveLength(6);
  });
});

describe('header values', () => {
  it('that are not those of one header are refused by the server before anything is sent', async () => {
    const raw = (value: string) =>
      `GET /proxy/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.secretKey}\r\nProvider-Config-Key: own-key\r\nConnection-Id: c\r\nNango-Proxy-X-A: ${value}\r\nConnection: close\r\n\r\n`;

    await exchange(raw('a\r\n X-B: folded'));
    await exchange(raw('a\rX-B: bare'));
    await exchange(raw('a\0b'));

    for (const request of provider.requests) expect(request.headers).not.toHaveProperty('x-b');
  });

  it.each(['evil\r\nX-B: injected', 'evil\nX-B: injected', 'evil\u0000'])(
    'in a connection are refused before anything is sent (%j)',
    async (apiKey) => {
      await importConnection(server, {
        provider_config_key: 'own-key',
        connection_id: 'bad',
        credentials: { type: 'API_KEY', apiKey },
      });

      expect(await api.refusal('GET /proxy/x', { headers: { ...headers(), 'connection-id': 'bad' } })).toEqual({
        status: 400,
        code: 'invalid_headers',
      });
      expect(provider.requests).toEqual([]);
    },
  );

  it('in the name are refused', async () => {
    expect(await api.refusal('GET /proxy/x', { headers: headers({ 'nango-proxy-': 'x' }) })).toEqual({
      status: 400,
      code: 'invalid_headers',
    });
  });
});

describe('configuration that lands in the host', () => {
  it.each([
    'evil.test/',
    'evil.test#',
    'evil.test?',
    'evil.test\\',
    'evil.test:80',
    'user@evil',
    'evil.test%2f',
    '127.0.0.1/',
    'a b',
    'evil.test\n',
    'evil.test／',
    '',
  ])('cannot change it: %j', async (subdomain) => {
    await importConnection(server, {
      provider_config_key: 'own-hosted',
      connection_id: 'h',
      credentials: { type: 'API_KEY', apiKey: 'k' },
      connection_config: { subdomain },
    });

    const refusal = await api.refusal('GET /proxy/x', {
      headers: { ...headers(), 'provider-config-key': 'own-hosted', 'connection-id': 'h' },
    });

    expect(refusal).toEqual({ status: 400, code: 'missing_connection_config' });
  });
});

/** Headers contain only Latin-1; other characters of a host are sent as punycode, as a client would send them. */
function encodeHost(address: string): string {
  return /^[\x20-\x7e]*$/.test(address) ? address : new URL(address).origin;
}

async function exchange(text: string): Promise<void> {
  const { connect } = await import('node:net');
  const { hostname, port: number } = new URL(server.url);
  await new Promise<void>((resolve, reject) => {
    const socket = connect(Number(number), hostname, () => socket.write(text));
    socket.on('data', () => {
      // Read to the end; the test asserts what the provider received.
    });
    socket.on('close', () => resolve());
    socket.on('error', reject);
  });
}
