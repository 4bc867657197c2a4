import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeProvider, type RecordedRequest } from '../../support/fake-provider.ts';
import { importConnection } from '../../support/import-practice-connection.ts';
import type { InProcessServer } from '../../support/start-in-process.ts';
import { ApiCaller, type ApiResponse, type Call } from './api-caller.ts';
import { providersOfEveryMode, startWithProviders } from './workspace-providers.ts';

let server: InProcessServer;
let api: ApiCaller;
let provider: FakeProvider;

const IMPORTS: Record<string, Record<string, unknown>> = {
  'own-oauth2': { type: 'OAUTH2', access_token: 'at', no_expiration: true },
  'own-oauth1': { type: 'OAUTH1', oauth_token: 't', oauth_token_secret: 's' },
  'own-cc': { type: 'OAUTH2_CC', token: 'cc', client_id: 'i', client_secret: 's' },
  'own-basic': { type: 'BASIC', username: 'u', password: 'p' },
  'own-none': { type: 'NONE' },
  'own-key': { type: 'API_KEY', apiKey: 'the-key' },
  'own-placeless': { type: 'NONE' },
};

beforeAll(async () => {
  provider = await FakeProvider.start();
  server = await startWithProviders(providersOfEveryMode(provider.address));
  api = new ApiCaller(server);
  for (const [key, credentials] of Object.entries(IMPORTS)) {
    const needsApp = key === 'own-oauth2' || key === 'own-oauth1';
    const app = needsApp ? { credentials: { type: credentials['type'], client_id: 'ci', client_secret: 'cs' } } : {};
    await api.send('POST /integrations', { body: { provider: key, unique_key: key, ...app } });
    expect((await importConnection(server, { provider_config_key: key, connection_id: 'c', credentials })).status).toBe(
      201,
    );
  }
});
afterAll(async () => {
  await server?.stop();
  await provider?.stop();
});
beforeEach(() => {
  provider.requests.length = 0;
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'PROPFIND', 'REPORT'])
    provider.on(`${method} /x`, { body: { ok: true } });
});

function through(key: string, call: Call = {}): Call {
  return { ...call, headers: { 'provider-config-key': key, 'connection-id': 'c', ...call.headers } };
}
const send = (route: string, call?: Call): Promise<ApiResponse> => api.send(route, through('own-key', call));
const refusal = (route: string, call?: Call) => api.refusal(route, through('own-key', call));
function received(): RecordedRequest {
  const last = provider.requests.at(-1);
  if (!last) throw new Error('The provider was not called.');
  return last;
}

describe('the address', () => {
  it.each([
    ['/proxy', '/'],
    ['/proxy/', '/'],
    ['/proxy?x=y', '/?x=y'],
    ['/PROXY/x', '/x'],
    ['/proxy/a//b/../c/', '/a//b/../c/'],
    ['/proxy/a%2Fb%20c?q=%5B1%5D&q=a+b&e=', '/a%2Fb%20c?q=%5B1%5D&q=a+b&e='],
    ['/proxy/broken%zz%', '/broken%zz%'],
    ["/proxy/(a)'!*~;:@&=+$,", "/(a)'!*~;:@&=+$,"],
    ['/proxy/proxy/x', '/proxy/x'],
    ['/proxy/https://evil.test/x', '/https://evil.test/x'],
    ['/proxy//evil.test/x', '/evil.test/x'],
    ['/proxy/@evil.test', '/@evil.test'],
  ])('sends %s as %s', async (path, expected) => {
    await send(`GET ${path}`);

    expect(received().url).toBe(expected);
  });

  it('takes an endpoint that repeats the base address', async () => {
    await send(`GET /proxy/${provider.address}/x?a=1`);

    expect(received().url).toBe('/x?a=1');
  });
});

describe('the request', () => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'REPORT'])('goes out with %s', async (method) => {
    const { status, body } = await send(`${method} /proxy/x`);

    expect([status, body]).toEqual([200, { ok: true }]);
    expect(received().method).toBe(method);
  });

  it.each(['PROPFIND', 'REPORT'])('goes out with the body of %s', async (method) => {
    await send(`${method} /proxy/x`, { body: { depth: 1 } });

    expect(String(received().body)).toBe('{"depth":1}');
  });

  it.each([
    ['own-oauth2', /^Bearer at$/],
    ['own-cc', /^Bearer cc$/],
    ['own-basic', /^Basic dTpw$/],
    ['own-oauth1', /^OAuth oauth_consumer_key="ci".*oauth_token="t"/],
  ])('of %s carries its authorization', async (key, pattern) => {
    await api.send('GET /proxy/x', through(key));

    expect(received().headers['authorization']).toMatch(pattern);
  });

  it('passes on Nango-Proxy headers and no other', async () => {
    await send('GET /proxy/x', {
      headers: {
        'Nango-Proxy-X-Mine': 'yes',
        'X-Other': 'no',
        cookie: 'a=b',
        origin: 'https://o.test',
        'user-agent': 'nango-node-client/1',
        'Nango-Is-Sync': 'false',
      },
    });

    const { headers } = received();
    expect(headers).toMatchObject({ 'x-mine': 'yes', 'x-own-key': 'the-key' });
    expect(Object.keys(headers).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
      'x-mine',
      'x-own-key',
    ]);
  });

  it("lets the caller's headers win, but never the connection's own", async () => {
    await send('GET /proxy/x', {
      headers: {
        'nango-proxy-x-own-key': 'other',
        'nango-proxy-host': 'evil.test',
        'nango-proxy-connection': 'close',
        'nango-proxy-content-length': '5',
        'nango-proxy-transfer-encoding': 'chunked',
      },
    });

    expect(received().headers).toMatchObject({ 'x-own-key': 'other', host: new URL(provider.address).host });
    expect(received().headers['transfer-encoding']).toBeUndefined();
  });

  it('sends JSON, forms, text and bytes as they came', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
    const multipart = Buffer.concat([
      Buffer.from(
        '--b1\r\nContent-Disposition: form-data; name="f"; filename="ä.bin"\r\nContent-Type: image/png\r\n\r\n',
      ),
      bytes,
      Buffer.from('\r\n--b1--\r\n'),
    ]);
    const bodies: Array<[string, string | Buffer]> = [
      ['application/json', '{"a": [1, 2.0, "é"], "a": null}'],
      ['application/json; charset=utf-8', '"text"'],
      ['application/x-www-form-urlencoded', 'a[]=1&a[]=2&b=c+d%20e'],
      ['text/xml', '<a>ü</a>'],
      ['application/octet-stream', bytes],
      ['image/png', bytes],
      ['multipart/form-data; boundary=b1', multipart],
    ];
    for (const [type, body] of bodies) {
      await send('POST /proxy/x', { body, headers: { 'content-type': type } });

      expect(received().headers['content-type']).toBe(type);
      expect(received().body.equals(Buffer.from(body)), type).toBe(true);
      expect(received().headers['content-length']).toBe(String(Buffer.byteLength(body)));
    }
  });

  it('prefers the content type that the caller names for the provider', async () => {
    await send('POST /proxy/x', {
      body: '<a/>',
      headers: { 'content-type': 'application/json', 'nango-proxy-content-type': 'text/xml' },
    });
    expect(received().headers['content-type']).toBe('text/xml');

    const form = '--b1\r\nContent-Disposition: form-data; name="f"\r\n\r\nv\r\n--b1--\r\n';
    await send('POST /proxy/x', {
      body: form,
      headers: {
        'content-type': 'multipart/form-data; boundary=b1',
        'nango-proxy-content-type': 'multipart/form-data',
      },
    });
    expect(received().headers['content-type']).toBe('multipart/form-data; boundary=b1');
  });

  it('encodes a JSON object as the form that the caller names for the provider', async () => {
    const form = { 'nango-proxy-content-type': 'application/x-www-form-urlencoded' };
    const fields = { a: 'b c', n: 1, yes: true, none: null, list: ['x', 'y'], deep: { 'k&': 'ä' } };

    await send('POST /proxy/x', { body: fields, headers: form });
    expect(received().headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect([...new URLSearchParams(received().body.toString())]).toEqual([
      ['a', 'b c'],
      ['n', '1'],
      ['yes', 'true'],
      ['none', ''],
      ['list[]', 'x'],
      ['list[]', 'y'],
      ['deep[k&]', 'ä'],
    ]);

    const json = { 'content-type': 'application/json', ...form };
    await send('POST /proxy/x', { body: '{"id":738529527931269425,"n":1.0}', headers: json });
    expect(received().body.toString()).toBe('id=738529527931269425&n=1.0');

    const text = { 'content-type': 'application/x-www-form-urlencoded', ...form };
    await send('POST /proxy/x', { body: '{"a":1}', headers: text });
    expect(received().body.toString()).toBe('{"a":1}');
    expect(
      await refusal('POST /proxy/x', { body: '{"a"', headers: { 'content-type': 'application/json', ...form } }),
    ).toEqual({
      status: 400,
      code: 'invalid_json',
    });
  });

  it('keeps an encoded body encoded when the provider is told that it is', async () => {
    const zipped = gzipSync('{"zip":true}');
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };

    await send('POST /proxy/x', { body: zipped, headers: { ...headers, 'nango-proxy-content-encoding': 'gzip' } });
    expect(received().body.equals(zipped)).toBe(true);
    expect(received().headers['content-encoding']).toBe('gzip');

    await send('POST /proxy/x', { body: zipped, headers });
    expect(received().body.toString()).toBe('{"zip":true}');
    expect(received().headers['content-encoding']).toBeUndefined();
  });

  it('has a body with DELETE and none with GET', async () => {
    await send('DELETE /proxy/x', { body: { a: 1 } });
    expect(received().body.toString()).toBe('{"a":1}');
    await send('GET /proxy/x', { body: { a: 1 } });
    expect(received().body.length).toBe(0);
  });

  it('refuses a body over 75 MB', async () => {
    const body = Buffer.alloc(75 * 1024 * 1024 + 1);

    expect(await refusal('POST /proxy/x', { body })).toEqual({ status: 413, code: 'request_too_large' });
  });
});

describe('the answer', () => {
  it.each([200, 201, 202, 204, 206, 301, 304, 400, 401, 404, 409, 418, 422, 429, 500, 503])(
    'keeps status %i',
    async (status) => {
      provider.on('GET /x', {
        status,
        headers: { 'x-own': 'v' },
        ...(status === 204 || status === 304 ? {} : { body: { s: status } }),
      });

      const response = await send('GET /proxy/x');

      expect(response.status).toBe(status);
      expect(response.headers['x-own']).toBe('v');
      if (status !== 204 && status !== 304) expect(response.body).toEqual({ s: status });
    },
  );

  it('does not forward TRACE, whose answer would contain the credentials', async () => {
    const before = provider.requests.length;

    const response = await send('TRACE /proxy/x');

    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ error: { code: 'invalid_request' } });
    expect(provider.requests).toHaveLength(before);
  });

  it('passes headers on, but for those of one hop', async () => {
    provider.on('GET /x', {
      headers: {
        'set-cookie': ['a=1', 'b=2'],
        etag: '"e"',
        link: '<x>; rel=next',
        'x-ratelimit-remaining': '3',
        'content-disposition': 'attachment; filename="a"',
        'access-control-allow-origin': 'https://other.test',
        'access-control-allow-credentials': 'true',
        'keep-alive': 'timeout=1',
        'proxy-authenticate': 'Basic',
        trailer: 'x-t',
        'clear-site-data': '"*"',
        refresh: '0; url=/',
        'service-worker-allowed': '/',
      },
      body: 'text',
    });

    const { headers } = await send('GET /proxy/x');

    expect(headers).toMatchObject({
      'set-cookie': ['a=1', 'b=2'],
      etag: '"e"',
      link: '<x>; rel=next',
      'x-ratelimit-remaining': '3',
      'content-disposition': 'attachment; filename="a"',
      'access-control-allow-origin': '*',
    });
    for (const name of ['access-control-allow-credentials', 'proxy-authenticate', 'trailer', 'content-length'])
      expect(headers[name]).toBeUndefined();
    for (const name of ['clear-site-data', 'refresh', 'service-worker-allowed']) expect(headers[name]).toBeUndefined();
    expect(headers['keep-alive']).not.toBe('timeout=1');
  });

  it('passes header values in any letters on', async () => {
    provider.on('GET /x', {
      headers: { 'x-name': Buffer.from('zürich 日本').toString('latin1') },
      body: Buffer.from('text'),
    });

    const { status, headers } = await send('GET /proxy/x');

    expect(status).toBe(200);
    expect(Buffer.from(String(headers['x-name']), 'latin1').toString()).toBe('zürich 日本');
  });

  it('decodes by default', async () => {
    const zipped = gzipSync('{"zip":true}');
    provider.on('GET /x', {
      headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
      body: zipped,
    });

    const decoded = await send('GET /proxy/x');
    const raw = await send('GET /proxy/x', { headers: { decompress: 'false' } });

    expect(decoded.body).toEqual({ zip: true });
    expect(decoded.headers['content-encoding']).toBeUndefined();
    expect(raw.bytes.equals(zipped)).toBe(true);
    expect(raw.headers['content-encoding']).toBe('gzip');
  });

  it('has no body for HEAD, encoded or not', async () => {
    provider.on('HEAD /x', { headers: { 'content-encoding': 'gzip', 'x-own': 'v' } });

    const { status, headers, bytes } = await send('HEAD /proxy/x');

    expect([status, headers['x-own'], bytes.length]).toEqual([200, 'v', 0]);
  });

  it('has no envelope when no answer came', async () => {
    provider.on('GET /x', { drop: true });

    const { status, body } = await send('GET /proxy/x');

    expect(status).toBe(500);
    expect(body).toEqual({ message: expect.any(String), code: expect.any(String), method: 'GET' });
  });
});

describe('refusals', () => {
  it.each<[Record<string, string | undefined>, string[]]>([
    [{ 'provider-config-key': undefined }, ['invalid_type provider-config-key']],
    [{ 'connection-id': undefined }, ['invalid_type connection-id']],
    [
      { 'provider-config-key': undefined, 'connection-id': undefined },
      ['invalid_type provider-config-key', 'invalid_type connection-id'],
    ],
    [{ 'provider-config-key': 'a/b' }, ['invalid_format provider-config-key']],
    [{ 'connection-id': 'a#b' }, ['invalid_format connection-id']],
    [{ retries: 'x' }, ['invalid_type retries']],
    [{ retries: '-1' }, ['too_small retries']],
    [{ 'retry-on': '500,x' }, ['invalid_format retry-on']],
    [{ 'base-url-override': 'nope' }, ['invalid_format base-url-override']],
    [{ decompress: 'maybe' }, ['invalid_value decompress']],
    [{ 'forward-headers-on-redirect': '1' }, ['invalid_value forward-headers-on-redirect']],
    [{ 'nango-activity-log-id': 'x'.repeat(256) }, ['too_big nango-activity-log-id']],
    [{ 'nango-is-sync': 'x' }, ['invalid_value nango-is-sync']],
  ])('of the headers %j', async (headers, issues) => {
    expect(await refusal('GET /proxy/x', { headers })).toEqual({ status: 400, code: 'invalid_headers', issues });
  });

  it.each([
    ['none', 'c', 404, 'unknown_provider_config'],
    ['own-key', 'none', 400, 'server_error'],
    ['own-placeless', 'c', 400, 'unsupported_provider'],
  ])('of %s/%s are %i %s', async (key, id, status, code) => {
    expect(await refusal('GET /proxy/x', { headers: { 'provider-config-key': key, 'connection-id': id } })).toEqual({
      status,
      code,
    });
  });

  it('accepts what the official client always sends', async () => {
    const headers = {
      retries: '0',
      'base-url-override': '',
      decompress: '',
      'nango-activity-log-id': '',
      'nango-is-dry-run': 'false',
      'nango-is-sync': 'false',
    };
    const { decompress: _empty, ...always } = headers;

    expect((await send('GET /proxy/x', { headers: always })).status).toBe(200);
  });
});

describe('the log', () => {
  it('is not harmed by the id of an operation that does not exist', async () => {
    expect((await send('GET /proxy/x', { headers: { 'nango-activity-log-id': 'no-such' } })).status).toBe(200);
    expect((await send('GET /proxy/x')).status).toBe(200);
    expect(server.errorOutput()).toBe('');
  });
});

describe('retries', () => {
  it('repeat what may succeed, as often as allowed', async () => {
    let calls = 0;
    provider.on('GET /x', () => ({
      status: ++calls < 2 ? 503 : 200,
      headers: { 'retry-after': '0' },
      body: { calls },
    }));
    expect((await send('GET /proxy/x')).status).toBe(503);

    calls = 0;
    const { body } = await api.send('GET /proxy/x', through('own-key', { headers: { retries: '1' } }));
    expect(body).toEqual({ calls: 2 });
  });

  it('leave other refusals alone unless asked', async () => {
    let calls = 0;
    provider.on('GET /x', () => ({ status: ++calls < 2 ? 404 : 200, body: { calls } }));

    expect((await send('GET /proxy/x', { headers: { retries: '3' } })).status).toBe(404);
    expect(calls).toBe(1);
    calls = 0;
    expect((await send('GET /proxy/x', { headers: { retries: '1', 'retry-on': '404,409' } })).status).toBe(200);
  });
});
