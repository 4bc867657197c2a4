import { createHash } from 'node:crypto';
import { jwtVerify } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RecordedRequest } from '../../support/fake-provider.ts';
import { AuthModesHub } from './auth-modes-hub.ts';
import { connectTo, expectRefused } from './submit-and-read.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let hub: AuthModesHub;

beforeAll(async () => {
  hub = await AuthModesHub.start();
});
afterAll(() => hub?.stop());
beforeEach(() => {
  hub.provider.requests.length = 0;
});

const header = (request: RecordedRequest, name: string): string => String(request.headers[name] ?? '');

/** Answers 200 to requests for which `fits` returns true. */
function accept(route: string, fits: (request: RecordedRequest) => unknown): void {
  hub.provider.on(route, (request) => (fits(request) ? { body: {} } : { status: 401, body: { error: 'no' } }));
}

const TEST_FAILED = { status: 400, code: 'connection_test_failed', message: expect.stringContaining('refused') };

describe('credentials that are stored as they were entered', () => {
  it('API_KEY, tried at the provider', async () => {
    accept('GET /check-key', (request) => header(request, 'x-own-key') === 'right');

    const { credentials, connection_config } = await connectTo(hub, {
      at: '/api-auth/api-key/own-key',
      body: { apiKey: 'right' },
      query: 'params[area]=eu',
    });

    expect(credentials).toEqual({ type: 'API_KEY', apiKey: 'right' });
    expect(connection_config).toEqual({ area: 'eu' });
    await expectRefused(hub, { at: '/api-auth/api-key/own-key', body: { apiKey: 'wrong' } }, TEST_FAILED);
  });

  it('API_KEY whose provider does not answer', async () => {
    hub.provider.on('GET /check-key', { drop: true });

    await expectRefused(
      hub,
      { at: '/api-auth/api-key/own-key', body: { apiKey: 'right' } },
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

    const { credentials } = await connectTo(hub, { at: '/api-auth/basic/own-basic', body: given });

    expect(credentials).toEqual({ type: 'BASIC', ...given });
    await expectRefused(
      hub,
      { at: '/api-auth/basic/own-basic', body: { username: 'other', password: 'x' } },
      TEST_FAILED,
    );
  });

  it.each([undefined, {}])('NONE with the body %j', async (body) => {
    expect((await connectTo(hub, { at: '/auth/unauthenticated/own-none', body })).credentials).toEqual({});
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

    const connection = await connectTo(hub, { at: '/auth/tba/own-tba', body: given, query: 'params[accountId]=acc-1' });

    expect(connection.credentials).toEqual({
      type: 'TBA',
      token_id: 'token-1',
      token_secret: 'secret-1',
      config_override: stored,
    });
    expect(connection.connection_config).toEqual({ accountId: 'acc-1' });
    const other = { ...given, token_id: 'other' };
    await expectRefused(hub, { at: '/auth/tba/own-tba', body: other, query: 'params[accountId]=acc-1' }, TEST_FAILED);
  });
});

describe('credentials that are signed here', () => {
  it('JWT, tried at the provider', async () => {
    const privateKey = 'key-1:0123456789abcdef0123456789abcdef';
    accept('GET /check-jwt', (request) => header(request, 'authorization').startsWith('Own ey'));

    const { credentials } = await connectTo(hub, {
      at: '/auth/jwt/own-jwt',
      body: { type: 'JWT', privateKey, note: 'mine' },
      query: 'params[account]=acc',
    });

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

    await expectRefused(hub, { at: '/auth/jwt/own-jwt', body: { privateKey: 'key-1:abcdef' } }, TEST_FAILED);
    await expectRefused(
      hub,
      { at: '/auth/jwt/own-jwt', body: { privateKey: 'no pair' } },
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

    const { credentials } = await connectTo(hub, { at: `${path}/own-signature`, body: given });

    expect(credentials).toEqual({
      ...given,
      token: header(hub.provider.requestsTo('/check-signature')[0] as RecordedRequest, 'x-wsse'),
      expires_at: expect.stringMatching(ISO),
    });
    await expectRefused(hub, { at: `${path}/own-signature`, body: { ...given, password: 'wrong' } }, TEST_FAILED);
  });
});
