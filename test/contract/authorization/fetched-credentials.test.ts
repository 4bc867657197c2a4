import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AuthModesHub } from './auth-modes-hub.ts';
import { connectTo, expectRefused } from './submit-and-read.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MINUTE_MS = 60_000;

let hub: AuthModesHub;

beforeAll(async () => {
  hub = await AuthModesHub.start();
});
afterAll(() => hub?.stop());
beforeEach(() => {
  hub.provider.requests.length = 0;
});

describe('credentials that are fetched', () => {
  const client = { client_id: 'client-1', client_secret: 'secret-1' };

  it('OAUTH2_CC asks for a token with everything that the connection says', async () => {
    hub.provider.on('POST /cc/acme/token', {
      body: { access_token: 'token-1', expires_in: 600, instance: { url: 'https://eu.acme.test' } },
    });
    const before = Date.now();

    const { credentials, connection_config } = await connectTo(hub, {
      at: '/oauth2/auth/own-cc',
      body: { ...client, extra: 'ignored' },
      query: 'params[tenant]=acme&params[oauth_scopes]=read,write',
    });

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

  it('OAUTH2_CC refuses an answer that nests too deep to be stored', async () => {
    const body = `{"access_token":"token-1","deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    hub.provider.on('POST /cc/acme/token', { headers: { 'content-type': 'application/json' }, body });
    const token = await hub.openSession();
    const address = `/oauth2/auth/own-cc?connect_session_token=${token}&params[tenant]=acme`;

    const refusal = await hub.api.refusal(`POST ${address}`, { body: client, headers: { authorization: undefined } });

    expect(refusal.status).toBe(400);
  });

  it('OAUTH2_CC lasts 55 minutes when the provider names no end', async () => {
    hub.provider.on('POST /cc/acme/token', { body: { data: { token: 'nested' } } });

    const { credentials } = await connectTo(hub, {
      at: '/oauth2/auth/own-cc',
      body: client,
      query: 'params[tenant]=acme',
    });

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
    await expectRefused(
      hub,
      { at: '/oauth2/auth/own-cc', body, query: 'params[tenant]=acme' },
      { status: 400, ...expected },
    );
    expect(hub.provider.requests).toEqual([]);
  });

  it('OAUTH2_CC that the provider refuses, in words that hold no secret', async () => {
    hub.provider.on('POST /cc/acme/token', {
      status: 401,
      body: { error: 'invalid_client', error_description: 'bad secret-1' },
    });

    await expectRefused(
      hub,
      { at: '/oauth2/auth/own-cc', body: client, query: 'params[tenant]=acme' },
      {
        status: 400,
        code: 'client_credentials_fetch_error',
        message: 'The provider refused the client credentials (status 401): invalid_client, bad REDACTED.',
      },
    );
  });

  it('OAUTH2_CC without a value of its address', async () => {
    await expectRefused(
      hub,
      { at: '/oauth2/auth/own-cc', body: client },
      { status: 400, code: 'missing_connection_config' },
    );
  });

  it('OAUTH2_CC whose provider does not answer', async () => {
    hub.provider.on('POST /cc/acme/token', { drop: true });

    const expected = {
      status: 400,
      code: 'client_credentials_fetch_error',
      message: expect.stringContaining('could not be reached'),
    };
    await expectRefused(hub, { at: '/oauth2/auth/own-cc', body: client, query: 'params[tenant]=acme' }, expected);
  });

  describe('TWO_STEP', () => {
    const given = { type: 'TWO_STEP', username: 'me', partner_key: 'not mine', assertionOption: { pin: '77' } };

    it('sends its requests in order; values preset by the integration win and are not stored', async () => {
      const session = { id: 'session-1', again: 'again-1', ends: '2999-01-01T00:00:00Z' };
      hub.provider
        .on('POST /login', { body: { ticket: 't-1' } })
        .on('POST /session', { headers: { 'set-cookie': 'c=1; Path=/' }, body: { session, region: 'eu' } });

      const { credentials, connection_config } = await connectTo(hub, {
        at: '/auth/two-step/own-two-step',
        body: given,
      });

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
      ['the provider does not answer', { drop: true }, {}, 'two_step_credentials_fetch_error'],
    ])('is refused when %s', async (_when, login, session, code) => {
      hub.provider.on('POST /login', login).on('POST /session', session);

      await expectRefused(hub, { at: '/auth/two-step/own-two-step', body: given }, { status: 400, code });
    });
  });

  describe('BILL', () => {
    const given = { username: 'me', password: 'secret', organization_id: 'org', dev_key: 'dev' };

    it('logs in', async () => {
      hub.provider.on('POST /bill/login', { body: { sessionId: 's-1', organizationId: 'org-1', userId: 'user-1' } });

      const { credentials } = await connectTo(hub, { at: '/auth/bill/own-bill', body: given });

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
      async (response) => {
        hub.provider.on('POST /bill/login', response);

        const expected = { status: 400, code: 'invalid_credentials', message: expect.any(String) };
        await expectRefused(hub, { at: '/auth/bill/own-bill', body: given }, expected);
      },
    );
  });
});

// The keys of a role are verified at AWS itself, which no test can replace: see test/integration/credentials.
describe('AWS_SIGV4', () => {
  const role_arn = 'arn:aws:iam::123456789012:role/Reader';
  const external_id = '0d4f1c5e-0000-4000-8000-000000000000';
  /** An integration of its own for each test, because settings are added to those that are there. Returns its route. */
  let made = 0;
  const setUp = async (custom: Record<string, string>): Promise<string> => {
    const unique_key = `own-aws-${++made}`;
    const { status } = await hub.api.send('POST /integrations', { body: { provider: 'own-aws', unique_key, custom } });
    expect(status).toBe(200);
    return `/auth/aws-sigv4/${unique_key}`;
  };

  it.each<[Record<string, string>, unknown, string]>([
    [{}, { role_arn }, 'missing_aws_sigv4_service'],
    [{ service: 's3' }, { role_arn }, 'missing_aws_sigv4_region'],
    [{ service: 's3' }, { role_arn, region: 'eu-west-1' }, 'missing_aws_sigv4_access_key'],
    [{ service: 's3', stsMode: 'custom' }, { role_arn, region: 'eu-west-1' }, 'missing_aws_sigv4_sts_endpoint'],
    [{ service: 's3' }, { role_arn: 'no role' }, 'invalid_aws_sigv4_config'],
  ])('with the settings %j and %j', async (custom, body, code) => {
    const at = await setUp(custom);

    await expectRefused(hub, { at, body }, { status: 400, code });
  });

  it('asks an STS endpoint of its own', async () => {
    const stsApiKey = 'sts-key-1';
    const at = await setUp({
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
      message: expect.stringContaining('REDACTED'),
    };
    await expectRefused(hub, { at, body: { role_arn }, query: `params[external_id]=${external_id}` }, expected);

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
    const { credentials, connection_config } = await connectTo(hub, {
      at: '/auth/oauth-outbound/own-outbound',
      query: 'params[a]=b',
    });

    expect(credentials).toEqual({ type: 'OAUTH2', raw: {} });
    expect(connection_config).toEqual({ a: 'b', pending: true, pendingLog: expect.stringMatching(UUID_V4) });
  });

  it('is only for providers whose marketplace begins', async () => {
    await expectRefused(
      hub,
      { at: '/auth/oauth-outbound/own-oauth2' },
      {
        status: 400,
        code: 'invalid_auth_mode',
      },
    );
  });
});
