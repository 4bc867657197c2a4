import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { ApiCaller } from './api-caller.ts';

let server: StartedServer;
let api: ApiCaller;

beforeAll(async () => {
  server = await startServer();
  api = new ApiCaller(server);
  await importPracticeConnection(server);
});
afterAll(() => server?.stop());

const UNKNOWN_KEY = '00000000-0000-4000-8000-000000000000';

describe('bodies', () => {
  it.each(['{"a":', '"text"', '5', 'null', 'nope'])('refuses %s as invalid JSON', async (body) => {
    const headers = { 'content-type': 'application/json' };

    expect(await api.refusal('POST /integrations', { body, headers })).toEqual({ status: 400, code: 'invalid_json' });
  });

  it('tells bad JSON before a missing key, and a wrong type before it too', async () => {
    const headers = { 'content-type': 'application/json', authorization: undefined };
    const plain = { 'content-type': 'text/plain', authorization: undefined };

    expect(await api.refusal('POST /integrations', { body: '{', headers })).toMatchObject({ code: 'invalid_json' });
    expect(await api.refusal('POST /integrations', { body: 'x', headers: plain })).toEqual({
      status: 415,
      code: 'invalid_content_type',
    });
  });

  it('refuses a body over 75 MB', async () => {
    const body = Buffer.alloc(75 * 1024 * 1024 + 1, ' ');
    const headers = { 'content-type': 'application/json' };

    expect(await api.refusal('POST /integrations', { body, headers })).toEqual({
      status: 413,
      code: 'request_too_large',
    });
  });

  it('reports a missing body as one issue at the root', async () => {
    expect(await api.refusal('POST /connections')).toEqual({
      status: 400,
      code: 'invalid_body',
      issues: ['invalid_type'],
    });
  });

  it('reports validation problems with issues and without a message', async () => {
    const { body } = await api.send('POST /integrations', { body: { provider: 5, extra: 1 } });

    const { error } = body as { error: Record<string, unknown> };
    expect(Object.keys(error).sort()).toEqual(['code', 'docs', 'errors']);
    expect(error['errors']).toEqual(
      expect.arrayContaining([
        { code: 'invalid_type', message: expect.any(String), path: ['provider'] },
        { code: 'invalid_type', message: expect.any(String), path: ['unique_key'] },
        { code: 'unrecognized_keys', message: expect.any(String), path: [] },
      ]),
    );
  });
});

describe('content types', () => {
  it.each([
    'GET /providers',
    'GET /integrations',
    'GET /connections',
    'GET /environment-variables',
    'DELETE /integrations/none',
    'PATCH /connections/none',
  ])('%s takes JSON only', async (route) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };

    expect(await api.refusal(route, { headers })).toEqual({ status: 415, code: 'invalid_content_type' });
  });

  it.each(['', 'application/json', 'application/json; charset=utf-8'])('takes %j', async (type) => {
    expect((await api.send('GET /integrations', { headers: { 'content-type': type } })).status).toBe(200);
  });

  it('refuses a character set that it cannot read', async () => {
    const headers = { 'content-type': 'application/json; charset=latin-77' };

    expect(await api.refusal('POST /integrations', { body: '{}', headers })).toEqual({
      status: 415,
      code: 'invalid_content_type',
    });
  });
});

describe('authentication', () => {
  it.each([
    [undefined, 'missing_auth_header'],
    ['', 'missing_auth_header'],
    ['Bearer ', 'invalid_secret_key_format'],
    ['Bearer nope', 'invalid_secret_key_format'],
    ['Basic abc', 'invalid_secret_key_format'],
    [`bearer ${UNKNOWN_KEY}`, 'invalid_secret_key_format'],
    [`Bearer nango_connect_session_${'a'.repeat(64)}`, 'invalid_secret_key_format'],
    ['Bearer 5d0f2f7e-6a53-1c0e-9a53-3f6d7a1c2b4e', 'invalid_secret_key_format'],
    [`Bearer ${UNKNOWN_KEY}`, 'unknown_account'],
  ])('%j is refused with %s', async (authorization, code) => {
    const { status, body } = await api.send('GET /connections', { headers: { authorization } });

    expect(status).toBe(401);
    const docs = `${server.url}/docs/errors#${code}`;
    expect(body).toEqual({ error: { message: expect.any(String), code, payload: {}, docs } });
  });

  it.each([
    (key: string) => key,
    (key: string) => `Bearer ${key.toUpperCase()}`,
    (key: string) => `Bearer Bearer ${key}`,
    (key: string) => `Bearer nope Bearer ${key}`,
  ])('takes what follows the last "Bearer ", in any case (%#)', async (write) => {
    const headers = { authorization: write(server.secretKey) };

    expect((await api.send('GET /integrations', { headers })).status).toBe(200);
  });

  it('ignores cookies', async () => {
    const headers = {
      authorization: undefined,
      cookie: `homeport_session_${new URL(server.url).port}=x`,
      origin: 'https://evil.test',
    };

    expect(await api.refusal('GET /integrations', { headers })).toEqual({ status: 401, code: 'missing_auth_header' });
  });

  it.each(['GET /health', 'GET /ready'])('%s needs no key', async (route) => {
    const { status, body } = await api.send(route, { headers: { authorization: undefined } });

    expect([status, body]).toEqual([200, { result: 'ok' }]);
  });

  it('takes telemetry of command-line tools from everybody and ignores it', async () => {
    const call = { body: { event: 'any' }, headers: { authorization: undefined } };

    expect((await api.send('POST /cli/telemetry', call)).status).toBe(204);
  });

  it('checks the key before the request', async () => {
    const headers = { authorization: undefined };

    expect(await api.refusal('GET /connections?nope=1', { headers })).toMatchObject({ code: 'missing_auth_header' });
    expect(await api.refusal('GET /proxy/x', { headers })).toMatchObject({ code: 'missing_auth_header' });
  });
});

describe('cross-origin requests', () => {
  const preflight = {
    authorization: undefined,
    origin: 'https://app.test',
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization',
  };

  it.each(['/connections/abc', '/proxy/v1/me', '/connections', '/records'])(
    'answers the preflight of %s',
    async (path) => {
      const { status, headers, bytes } = await api.send(`OPTIONS ${path}`, { headers: preflight });

      expect([status, bytes.length]).toEqual([204, 0]);
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['access-control-max-age']).toBe('600');
      expect(headers['access-control-allow-methods']?.split(/, ?/)).toEqual(
        expect.arrayContaining(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
      );
      expect(headers['access-control-allow-headers']?.split(/, ?/)).toEqual([
        'Authorization',
        'Content-Type',
        'Accept',
        'Origin',
        'X-Requested-With',
        'Nango-Activity-Log-Id',
        'Nango-Is-Dry-Run',
        'Nango-Is-Sync',
        'Provider-Config-Key',
        'Connection-Id',
        'Sentry-Trace',
        'Baggage',
      ]);
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    },
  );

  it.each(['/health', '/ready', '/openapi.json', '/providers.json', '/app/', '/api/v1/meta', '/mcp', '/nowhere'])(
    'grants no preflight of %s and opens it to no other origin',
    async (path) => {
      for (const method of ['OPTIONS', 'GET']) {
        const { headers } = await api.send(`${method} ${path}`, { headers: preflight });

        expect(headers['access-control-allow-origin']).toBeUndefined();
        expect(headers['access-control-allow-headers']).toBeUndefined();
      }
    },
  );

  it.each([
    ['GET /integrations', {}],
    ['GET /integrations', { headers: { authorization: undefined } }],
    ['POST /integrations', { body: '{', headers: { 'content-type': 'application/json' } }],
    ['GET /integrations/none/of/this', {}],
  ])('opens the answer of %s to every origin, refusals included (%#)', async (route, call) => {
    const { headers } = await api.send(route, call);

    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-expose-headers']).toBe(
      'Authorization, Etag, Content-Type, Content-Length, X-Nango-Signature, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset',
    );
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('never sends OPTIONS on to a provider', async () => {
    const headers = { 'provider-config-key': 'practice', 'connection-id': 'me' };

    expect((await api.send('OPTIONS /proxy/v1/echo', { headers })).status).toBe(204);
  });
});

describe('host names', () => {
  it.each([
    'evil.test',
    'evil.test:3003',
    '127.0.0.1.nip.io',
    'localhost.evil.test',
    '0.0.0.0',
    '2130706433',
    '0x7f000001',
    '[::ffff:127.0.0.1]',
    '127.1',
    'user@localhost',
  ])('refuses Host %s everywhere', async (host) => {
    expect(await api.refusal('GET /health', { headers: { host } })).toEqual({
      status: 421,
      code: 'misdirected_request',
    });
    expect(await api.refusal('GET /connections', { headers: { host } })).toMatchObject({ status: 421 });
    expect(await api.refusal('OPTIONS /connections', { headers: { host } })).toMatchObject({ status: 421 });
  });

  it.each(['localhost', 'LOCALHOST:3003', 'localhost.', '127.0.0.1:80', '[::1]', '[::1]:3003'])(
    'takes Host %s',
    async (host) => {
      expect((await api.send('GET /health', { headers: { host } })).status).toBe(200);
    },
  );

  it.each([
    ['x-forwarded-for', '203.0.113.9'],
    ['x-forwarded-host', 'tunnel.test'],
    ['x-forwarded-proto', 'https'],
    ['x-real-ip', '203.0.113.9'],
    ['forwarded', 'for=203.0.113.9'],
    ['cf-connecting-ip', '203.0.113.9'],
    ['true-client-ip', '203.0.113.9'],
    ['via', '1.1 tunnel.test'],
    ['x-forwarded-port', '443'],
    ['x-forwarded-server', 'tunnel.test'],
  ])('refuses a request that was forwarded (%s)', async (name, value) => {
    const headers = { host: 'localhost', [name]: value };

    expect(await api.refusal('GET /connections', { headers })).toEqual({ status: 421, code: 'misdirected_request' });
    expect(await api.refusal('GET /health', { headers })).toMatchObject({ status: 421 });
  });
});

describe('paths', () => {
  it.each([
    '/integrations/',
    '/INTEGRATIONS',
    '/Integrations/',
    '/connections/?',
    '/Environment-Variables/',
    '/records/?model=Item',
  ])('ignores letter case and a trailing slash (%s)', async (path) => {
    const headers = { 'provider-config-key': 'practice', 'connection-id': 'me' };

    expect((await api.send(`GET ${path}`, { headers })).status).toBe(200);
  });

  it.each([
    'GET /',
    'GET /nowhere',
    'POST /health',
    'PUT /connections',
    'DELETE /connections',
    'GET /connections/a/b',
    'POST /proxies',
  ])('answers %s with a JSON 404', async (route) => {
    const { status, headers, body } = await api.send(route);
    if (route === 'GET /' && status !== 404) return; // The dashboard's own page.

    expect(status).toBe(404);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body).toEqual({ error: { code: 'not_found', message: expect.any(String), docs: expect.any(String) } });
  });

  it('refuses a broken percent encoding', async () => {
    expect(await api.refusal('GET /connections/%zz?provider_config_key=practice')).toEqual({
      status: 400,
      code: 'invalid_uri_params',
    });
  });

  it('says nothing of the server software', async () => {
    const { headers } = await api.send('GET /health');

    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });
});
