import { createHash } from 'node:crypto';
import { jwtVerify } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RecordedRequest } from '../../support/fake-provider.ts';
import { SignInHub } from './sign-in-hub.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MINUTE_MS = 60_000;

let hub: SignInHub;

beforeAll(async () => {
  hub = await SignInHub.start();
});
afterAll(() => hub?.stop());
beforeEach(() => {
  hub.provider.requests.length = 0;
});

const header = (request: RecordedRequest, name: string): string => String(request.headers[name] ?? '');

/** 200 for requests that `fits` likes. */
function accept(route: string, fits: (request: RecordedRequest) => unknown): void {
  hub.provider.on(route, (request) => (fits(request) ? { body: {} } : { status: 401, body: { error: 'no' } }));
}

async function connectTo(key: string, path: string, body: unknown, query = '') {
  const answer = await hub.submit(`${path}/${key}`, { body, query });
  expect(answer.body).toEqual({ connectionId: expect.stringMatching(UUID_V4), providerConfigKey: key });
  expect(answer.status).toBe(200);
  return hub.read(key, (answer.body as { connectionId: string }).connectionId, '&refresh_token=true');
}

/** Says that the provider refused: its code, and that nothing was stored. */
async function expectRefused(key: string, path: string, body: unknown, expected: object, query = ''): Promise<void> {
  const before = await hub.listOf(key);
  expect(await hub.refusal(`${path}/${key}`, { body, query })).toMatchObject(expected);
  expect(await hub.listOf(key)).toEqual(before);
}

const TEST_FAILED = { status: 400, code: 'connection_test_failed', message: expect.stringContaining('refused') };

describe('credentials that are stored as they were entered', () => {
  it('API_KEY, tried at the provider', async () => {
    accept('GET /check-key', (request) => header(request, 'x-own-key') === 'right');

    const { credentials, connection_config } = await connectTo(
      'own-key',
      '/api-auth/api-key',
      { apiKey: 'right' },
      'params[area]=eu',
    );

    expect(credentials).toEqual({ type: 'API_KEY', apiKey: 'right' });
    expect(connection_config).toEqual({ area: 'eu' });
    await expectRefused('own-key', '/api-auth/api-key', { apiKey: 'wrong' }, TEST_FAILED);
  });

  it('API_KEY whose provider does not answer', async () => {
    hub.provider.on('GET /check-key', { drop: true });

    await expectRefused(
      'own-key',
      '/api-auth/api-key',
      { apiKey: 'right' },
      { status: 400, code: 'connection_test_failed', message: expect.stringContaining('could not be reached') },
    );
  });

  it.each([
    { username: 'me', password: 'secret' },
    { username: 'me', password: '' },
    { username: '', password: 'secret' },
  ])('BASIC with %j', async (given) => {
    accept(
      'GET /check-basic',
      (request) => header(request, 'authorization') === `Basic ${btoa(`${given.username}:${given.password}`)}`,
    );

    const { credentials } = await connectTo('own-basic', '/api-auth/basic', given);

    expect(credentials).toEqual({ type: 'BASIC', ...given });
    await expectRefused('own-basic', '/api-auth/basic', { username: 'other', password: 'x' }, TEST_FAILED);
  });

  it.each([undefined, {}])('NONE with the body %j', async (body) => {
    expect((await connectTo('own-none', '/auth/unauthenticated', body)).credentials).toEqual({});
  });

  it.each([
    [{}, 'app-client', {}],
    [
      { oauth_client_id_override: 'own-client', oauth_client_secret_override: 'own-secret' },
      'own-client',
      { client_id: 'own-client', client_secret: 'own-secret' },
    ],
  ])('TBA, signed with the client it belongs to (%j)', async (override, client, stored) => {
    const given = { token_id: 'token-1', token_secret: 'secret-1', ...override };
    accept('GET /check-tba', (request) => {
      const text = header(request, 'authorization');
      return text.includes(`oauth_consumer_key="${client}"`) && text.includes('oauth_token="token-1"');
    });

    const connection = await connectTo('own-tba', '/auth/tba', given, 'params[accountId]=acc-1');

    expect(connection.credentials).toEqual({
      type: 'TBA',
      token_id: 'token-1',
      token_secret: 'secret-1',
      config_override: stored,
    });
    expect(connection.connection_config).toEqual({ accountId: 'acc-1' });
    const other = { ...given, token_id: 'other' };
    await expectRefused('own-tba', '/auth/tba', other, TEST_FAILED, 'params[accountId]=acc-1');
  });
});

describe('credentials that are signed here', () => {
  it('JWT, tried at the provider', async () => {
    const privateKey = 'key-1:0123456789abcdef0123456789abcdef';
    accept('GET /check-jwt', (request) => header(request, 'authorization').startsWith('Own ey'));

    const { credentials } = await connectTo(
      'own-jwt',
      '/auth/jwt',
      { type: 'JWT', privateKey, note: 'mine' },
      'params[account]=acc',
    );

    expect(credentials).toEqual({
      type: 'JWT',
      privateKey,
      note: 'mine',
      token: expect.any(String),
      expires_at: expect.stringMatching(ISO),
    });
    const [sent] = hub.provider.requestsTo('/check-jwt');
    expect(sent?.headers['authorization']).toBe(`Own ${credentials.token}`);
    const { payload, protectedHeader } = await jwtVerify(
      credentials.token,
      Buffer.from('0123456789abcdef0123456789abcdef'),
    );
    expect(protectedHeader).toEqual({ alg: 'HS256', typ: 'JWT', kid: 'key-1' });
    expect(payload).toMatchObject({ aud: '/admin/', iss: 'acc' });
  });

  it('JWT that the provider refuses, and a key that cannot sign', async () => {
    hub.provider.on('GET /check-jwt', { status: 403 });

    await expectRefused('own-jwt', '/auth/jwt', { privateKey: 'key-1:abcdef' }, TEST_FAILED);
    await expectRefused(
      'own-jwt',
      '/auth/jwt',
      { privateKey: 'no pair' },
      { status: 400, code: 'invalid_credentials', message: expect.stringContaining('private key') },
    );
  });

  it.each(['/auth/signature', '/auth/signature-based'])('SIGNATURE at %s', async (path) => {
    const given = { type: 'SIGNATURE', username: 'me', password: 'secret' };
    accept('GET /check-signature', (request) => {
      const [, digest, nonce, created] =
        /^UsernameToken Username="me", PasswordDigest="(.+)", Nonce="(.+)", Created="(.+)"$/.exec(
          header(request, 'x-wsse'),
        ) ?? [];
      const hash = createHash('sha1').update(`${nonce}${created}secret`).digest('hex');
      return digest === btoa(hash) && /^[0-9a-f]{32}$/.test(nonce ?? '');
    });

    const { credentials } = await connectTo('own-signature', path, given);

    expect(credentials).toEqual({
      ...given,
      token: header(hub.provider.requestsTo('/check-signature')[0] as RecordedRequest, 'x-wsse'),
      expires_at: expect.stringMatching(ISO),
    });
    await expectRefused('own-signature', path, { ...given, password: 'wrong' }, TEST_FAILED);
  });
});

describe('credentials that are fetched', () => {
  const client = { client_id: 'client-1', client_secret: 'secret-1' };

  it('OAUTH2_CC asks for a token with everything that the connection says', async () => {
    hub.provider.on('POST /cc/acme/token', {
      body: { access_token: 'token-1', expires_in: 600, instance: { url: 'https://eu.acme.test' } },
    });
    const before = Date.now();

    const { credentials, connection_config } = await connectTo(
      'own-cc',
      '/oauth2/auth',
      { ...client, extra: 'ignored' },
      'params[tenant]=acme&params[oauth_scopes]=read,write',
    );

    const [sent] = hub.provider.requestsTo('/cc/acme/token');
    expect(Object.fromEntries(new URLSearchParams(sent?.body.toString()))).toEqual({
      ...client,
      grant_type: 'client_credentials',
      audience: 'acme',
      scope: 'read write',
    });
    expect(credentials).toEqual({
      type: 'OAUTH2_CC',
      token: 'token-1',
      ...client,
      expires_at: expect.stringMatching(ISO),
      raw: { access_token: 'token-1', expires_in: 600, instance: { url: 'https://eu.acme.test' } },
    });
    expect(Math.abs(Date.parse(credentials.expires_at) - before - 10 * MINUTE_MS)).toBeLessThan(MINUTE_MS);
    expect(connection_config).toEqual({
      tenant: 'acme',
      oauth_scopes: 'read,write',
      'instance.url': 'https://eu.acme.test',
    });
  });

  it('OAUTH2_CC lasts 55 minutes when the provider names no end', async () => {
    hub.provider.on('POST /cc/acme/token', { body: { data: { token: 'nested' } } });

    const { credentials } = await connectTo('own-cc', '/oauth2/auth', client, 'params[tenant]=acme');

    expect(credentials.token).toBe('nested');
    expect(Math.abs(Date.parse(credentials.expires_at) - Date.now() - 55 * MINUTE_MS)).toBeLessThan(MINUTE_MS);
  });

  it("OAUTH2_CC takes along what the session sets; its parameters replace the provider's", async () => {
    hub.provider.on('POST /cc/ours/token', { body: { access_token: 'token-1' } });
    const token = await hub.openSession({
      integrations_config_defaults: {
        'own-cc': {
          connection_config: { tenant: 'ours' },
          authorization_params: { audience: 'set-by-session', resource: 'r' },
        },
      },
    });

    const id = await hub.connect('/oauth2/auth/own-cc', { token, body: client, query: 'params[tenant]=theirs' });

    const [sent] = hub.provider.requestsTo('/cc/ours/token');
    expect(Object.fromEntries(new URLSearchParams(sent?.body.toString()))).toMatchObject({
      audience: 'set-by-session',
      resource: 'r',
    });
    expect((await hub.read('own-cc', id)).connection_config).toEqual({
      tenant: 'ours',
      authorization_params: { audience: 'set-by-session', resource: 'r' },
    });
  });

  it.each<[string, object, object]>([
    ['without an id', { client_secret: 's' }, { code: 'missing_client_id' }],
    ['with an empty id', { client_id: '', client_secret: 's' }, { code: 'missing_client_id' }],
    ['without a secret', { client_id: 'i' }, { code: 'missing_client_secret' }],
    ['with a number as id', { client_id: 5 }, { code: 'invalid_body' }],
  ])('OAUTH2_CC %s', async (_what, body, expected) => {
    await expectRefused('own-cc', '/oauth2/auth', body, { status: 400, ...expected }, 'params[tenant]=acme');
    expect(hub.provider.requests).toEqual([]);
  });

  it('OAUTH2_CC that the provider refuses, in words that hold no secret', async () => {
    hub.provider.on('POST /cc/acme/token', {
      status: 401,
      body: { error: 'invalid_client', error_description: 'bad secret-1' },
    });

    await expectRefused(
      'own-cc',
      '/oauth2/auth',
      client,
      {
        status: 400,
        code: 'client_credentials_fetch_error',
        message: 'The provider refused the client credentials (status 401): invalid_client, bad [redacted].',
      },
      'params[tenant]=acme',
    );
  });

  it('OAUTH2_CC without a value of its address', async () => {
    await expectRefused('own-cc', '/oauth2/auth', client, { status: 400, code: 'missing_connection_config' });
  });

  it('OAUTH2_CC whose provider does not answer', async () => {
    hub.provider.on('POST /cc/acme/token', { drop: true });

    const expected = { status: 400, code: 'provider_unreachable' };
    await expectRefused('own-cc', '/oauth2/auth', client, expected, 'params[tenant]=acme');
  });

  describe('TWO_STEP', () => {
    const given = { type: 'TWO_STEP', username: 'me', partner_key: 'not mine', assertionOption: { pin: '77' } };

    it('makes its requests in order; what the integration presets wins and is not stored', async () => {
      const session = { id: 'session-1', again: 'again-1', ends: '2999-01-01T00:00:00Z' };
      hub.provider
        .on('POST /login', { body: { ticket: 't-1' } })
        .on('POST /session', { headers: { 'set-cookie': 'c=1; Path=/' }, body: { session, region: 'eu' } });

      const { credentials, connection_config } = await connectTo('own-two-step', '/auth/two-step', given);

      expect(hub.provider.requests.map(({ url, body }) => [url, JSON.parse(body.toString())])).toEqual([
        ['/login', { user: 'me', key: 'partner-key-1', pin: '77' }],
        ['/session', { ticket: 't-1' }],
      ]);
      expect(credentials).toEqual({
        type: 'TWO_STEP',
        username: 'me',
        token: 'session-1',
        refresh_token: 'again-1',
        expires_at: '2999-01-01T00:00:00.000Z',
        c: '1',
        _cookies: 'c=1',
        raw: { session, region: 'eu' },
      });
      expect(connection_config).toEqual({ region: 'eu' });
    });

    it.each<[string, object, object, string]>([
      ['the first request is refused', { status: 401 }, {}, 'two_step_credentials_fetch_error'],
      [
        'the second request is refused',
        { body: { ticket: 't' } },
        { status: 500 },
        'invalid_two_step_credentials_step_2',
      ],
      ['the answer holds no token', { body: { ticket: 't' } }, { body: {} }, 'invalid_two_step_credentials'],
      ['the provider does not answer', { drop: true }, {}, 'provider_unreachable'],
    ])('is refused when %s', async (_when, login, session, code) => {
      hub.provider.on('POST /login', login).on('POST /session', session);

      await expectRefused('own-two-step', '/auth/two-step', given, { status: 400, code });
    });
  });

  describe('BILL', () => {
    const given = { username: 'me', password: 'secret', organization_id: 'org', dev_key: 'dev' };

    it('logs in', async () => {
      hub.provider.on('POST /bill/login', { body: { sessionId: 's-1', organizationId: 'org-1', userId: 'user-1' } });

      const { credentials } = await connectTo('own-bill', '/auth/bill', given);

      expect(JSON.parse(hub.provider.requests[0]?.body.toString() ?? '')).toEqual({
        username: 'me',
        password: 'secret',
        organizationId: 'org',
        devKey: 'dev',
      });
      expect(credentials).toEqual({
        type: 'BILL',
        ...given,
        organization_id: 'org-1',
        session_id: 's-1',
        user_id: 'user-1',
        expires_at: expect.stringMatching(ISO),
        raw: { sessionId: 's-1', organizationId: 'org-1', userId: 'user-1' },
      });
      expect(Math.abs(Date.parse(credentials.expires_at) - Date.now() - 35 * MINUTE_MS)).toBeLessThan(MINUTE_MS);
    });

    it.each([[{ status: 403, body: { message: 'Locked' } }], [{ body: {} }], [{ drop: true }]])(
      'is refused with %j',
      async (answer) => {
        hub.provider.on('POST /bill/login', answer);

        const expected = { status: 400, code: 'invalid_credentials', message: expect.any(String) };
        await expectRefused('own-bill', '/auth/bill', given, expected);
      },
    );
  });
});

// The keys of a role are tried at AWS itself, which no test can stand in for: see test/integration/credentials.
describe('AWS_SIGV4', () => {
  const role_arn = 'arn:aws:iam::123456789012:role/Reader';
  const external_id = '0d4f1c5e-0000-4000-8000-000000000000';
  const setUp = (custom: Record<string, string>) => hub.api.send('PATCH /integrations/own-aws', { body: { custom } });

  it.each<[Record<string, string>, unknown, string]>([
    [{}, { role_arn }, 'missing_aws_sigv4_service'],
    [{ service: 's3' }, { role_arn }, 'missing_aws_sigv4_region'],
    [{ service: 's3' }, { role_arn, region: 'eu-west-1' }, 'missing_aws_sigv4_access_key'],
    [{ service: 's3', stsMode: 'custom' }, { role_arn, region: 'eu-west-1' }, 'missing_aws_sigv4_sts_endpoint'],
    [{ service: 's3' }, { role_arn: 'no role' }, 'invalid_aws_sigv4_config'],
  ])('with the settings %j and %j', async (custom, body, code) => {
    expect((await setUp(custom)).status).toBe(200);

    await expectRefused('own-aws', '/auth/aws-sigv4', body, { status: 400, code });
  });

  it('asks an STS endpoint of its own', async () => {
    const stsApiKey = 'sts-key-1';
    await setUp({
      service: 's3',
      defaultRegion: 'eu-west-1',
      stsMode: 'custom',
      stsEndpointUrl: `${hub.provider.address}/sts`,
      stsAuthType: 'api_key',
      stsApiKey,
    });
    hub.provider.on('POST /sts', { status: 403, body: { message: `not with ${stsApiKey}` } });

    const expected = {
      status: 502,
      code: 'aws_sigv4_sts_request_failed',
      message: expect.stringContaining('[redacted]'),
    };
    await expectRefused('own-aws', '/auth/aws-sigv4', { role_arn }, expected, `params[external_id]=${external_id}`);

    const [sent] = hub.provider.requestsTo('/sts');
    expect(sent?.headers['x-api-key']).toBe(stsApiKey);
    expect(JSON.parse(sent?.body.toString() ?? '')).toEqual({
      role_arn,
      external_id,
      region: 'eu-west-1',
      service: 's3',
    });
  });
});

describe('a connection that the provider completes', () => {
  it('waits without a token', async () => {
    const { credentials, connection_config } = await connectTo(
      'own-outbound',
      '/auth/oauth-outbound',
      undefined,
      'params[a]=b',
    );

    expect(credentials).toEqual({ type: 'OAUTH2', raw: {} });
    expect(connection_config).toEqual({ a: 'b', pending: true, pendingLog: expect.stringMatching(UUID_V4) });
  });

  it('is only for providers whose marketplace begins', async () => {
    await expectRefused('own-oauth2', '/auth/oauth-outbound', undefined, { status: 400, code: 'invalid_auth_mode' });
  });
});
