import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MovableClock } from '../../support/movable-clock.ts';
import { AuthModesHub } from './auth-modes-hub.ts';

const MINUTE_MS = 60_000;
const clock = new MovableClock();

/** One integration for each route, with a valid body. */
const ROUTES: Array<[path: string, key: string, body: object]> = [
  ['/api-auth/api-key', 'own-key', { apiKey: 'k' }],
  ['/api-auth/basic', 'own-basic', { username: 'u', password: 'p' }],
  ['/oauth2/auth', 'own-cc', { client_id: 'i', client_secret: 's' }],
  ['/auth/unauthenticated', 'own-none', {}],
  ['/auth/two-step', 'own-two-step', { username: 'u' }],
  ['/auth/jwt', 'own-jwt', { privateKey: 'a:bcdef' }],
  ['/auth/tba', 'own-tba', { token_id: 'i', token_secret: 's' }],
  ['/auth/bill', 'own-bill', { username: 'u', password: 'p', organization_id: 'o', dev_key: 'd' }],
  ['/auth/signature', 'own-signature', { type: 'SIGNATURE', username: 'u', password: 'p' }],
  ['/auth/signature-based', 'own-signature', { type: 'SIGNATURE', username: 'u', password: 'p' }],
  ['/auth/aws-sigv4', 'own-aws', { role_arn: 'arn:aws:iam::123456789012:role/R' }],
  ['/auth/oauth-outbound', 'own-outbound', {}],
];

let hub: AuthModesHub;
let token: string;

beforeAll(async () => {
  hub = await AuthModesHub.start({ clock });
  await openToken();
});
afterAll(() => hub?.stop());
beforeEach(() => {
  hub.provider.requests.length = 0;
});

async function openToken(): Promise<void> {
  token = await hub.openSession();
}

const post = (target: string, body?: unknown) =>
  hub.api.refusal(`POST ${target}`, { headers: { authorization: undefined }, ...(body === undefined ? {} : { body }) });

describe.each(ROUTES)('%s', (path, key, body) => {
  const at = `${path}/${key}`;

  it('authenticates the caller first', async () => {
    const bad = { unfit: true };
    const wrong = `${path}/no|body?connection_id=%00`;
    const tokenOf = (text: string) => `${wrong}&connect_session_token=${text}`;

    expect(await post(wrong, bad)).toEqual({ status: 401, code: 'missing_public_key' });
    expect(await post(`${wrong}&connect_session_token=`, bad)).toEqual({ status: 401, code: 'missing_public_key' });
    const publicKey = `${wrong}&public_key=0d4f1c5e-0000-4000-8000-000000000000`;
    expect(await post(publicKey, bad)).toEqual({ status: 401, code: 'deprecated_authentication' });
    for (const target of [wrong, publicKey])
      expect(await hub.api.send(`POST ${target}`, { headers: { authorization: undefined } })).toMatchObject({
        body: { error: { message: expect.any(String), payload: {} } },
      });
    const malformed = { status: 401, code: 'invalid_connect_session_token_format' };
    expect(await post(tokenOf('nango_connect_session_xyz'), bad)).toEqual(malformed);
    expect(await post(tokenOf(hub.server.secretKey), bad)).toEqual(malformed);
    const unknown = { status: 401, code: 'unknown_connect_session_token' };
    expect(await post(tokenOf(`nango_connect_session_${'0'.repeat(64)}`), bad)).toEqual(unknown);
  });

  it('checks the body, the query, the path, then the connection id', async () => {
    const refuse = (target: string, sent: unknown) => hub.refusal(target, { token, body: sent });
    const chosen = { token, body, query: 'connection_id=mine' };

    expect(await refuse(`${path}/no|way`, [])).toMatchObject({ status: 400, code: 'invalid_body' });
    expect(await hub.refusal(`${path}/no|way`, { ...chosen, query: 'connection_id=%00' })).toEqual({
      status: 400,
      code: 'invalid_query_params',
      issues: ['invalid_format connection_id'],
    });
    expect(await hub.refusal(`${path}/no|way`, chosen)).toEqual({
      status: 400,
      code: 'invalid_uri_params',
      issues: ['invalid_format providerConfigKey'],
    });
    expect(await hub.refusal(`${path}/nobody`, chosen)).toEqual({
      status: 400,
      code: 'invalid_query_params',
      issues: ['custom connection_id'],
    });
  });

  it('checks integration, mode, then whether the session allows it', async () => {
    const restricted = await hub.openSession({ allowed_integrations: ['own-oauth2'] });
    const other = path === '/auth/unauthenticated' ? 'own-key' : 'own-none';
    const before = await hub.listOf(key);

    expect(await hub.refusal(`${path}/nobody`, { token: restricted, body })).toMatchObject({
      status: path === '/oauth2/auth' ? 400 : 404,
      code: 'unknown_provider_config',
    });
    expect(await hub.refusal(`${path}/${other}`, { token: restricted, body })).toMatchObject({
      status: 400,
      code: 'invalid_auth_mode',
    });
    expect(await hub.refusal(at, { token: restricted, body })).toEqual({
      status: 400,
      code: 'integration_not_allowed',
    });
    expect(await hub.listOf(key)).toEqual(before);
    expect(hub.provider.requests).toEqual([]);
  });
});

describe('bodies', () => {
  const long = 'x'.repeat(1025);
  const bill = { username: 'u', password: 'p', organization_id: 'o', dev_key: 'd' };

  it.each<[string, unknown, string[]]>([
    ['/api-auth/api-key/own-key', {}, ['invalid_type apiKey']],
    ['/api-auth/api-key/own-key', undefined, ['invalid_type apiKey']],
    ['/api-auth/api-key/own-key', { apiKey: '' }, ['too_small apiKey']],
    ['/api-auth/api-key/own-key', { apiKey: long }, ['too_big apiKey']],
    ['/api-auth/api-key/own-key', { apiKey: 5 }, ['invalid_type apiKey']],
    ['/api-auth/api-key/own-key', { apiKey: 'k', more: 1 }, ['unrecognized_keys']],
    ['/api-auth/basic/own-basic', { username: 'u' }, ['invalid_type password']],
    ['/api-auth/basic/own-basic', { password: 'p' }, ['invalid_type username']],
    ['/api-auth/basic/own-basic', { username: long, password: 'p' }, ['too_big username']],
    ['/api-auth/basic/own-basic', { username: 'u', password: long }, ['too_big password']],
    ['/api-auth/basic/own-basic', { username: 'u', password: 'p', type: 'BASIC' }, ['unrecognized_keys']],
    ['/auth/unauthenticated/own-none', { a: 1 }, ['unrecognized_keys']],
    ['/auth/oauth-outbound/own-outbound', { a: 1 }, ['unrecognized_keys']],
    ['/auth/tba/own-tba', { token_id: 'i' }, ['invalid_type token_secret']],
    ['/auth/tba/own-tba', { token_id: '', token_secret: 's' }, ['too_small token_id']],
    ['/auth/tba/own-tba', { token_id: 'i', token_secret: 's', more: 1 }, ['unrecognized_keys']],
    ['/auth/bill/own-bill', { ...bill, dev_key: '' }, ['too_small dev_key']],
    ['/auth/bill/own-bill', { ...bill, organization_id: undefined }, ['invalid_type organization_id']],
    ['/auth/bill/own-bill', { ...bill, more: 1 }, ['unrecognized_keys']],
    ['/auth/signature/own-signature', { username: 'u', password: 'p' }, ['invalid_type type']],
    ['/auth/signature/own-signature', { type: 'SIGNATURE', username: '', password: 'p' }, ['too_small username']],
    ['/auth/signature/own-signature', { type: 'SIGNATURE', username: 'u', password: '' }, ['too_small password']],
    ['/auth/signature/own-signature', { type: 'S', username: 'u', password: 'p', a: 1 }, ['unrecognized_keys']],
    ['/auth/aws-sigv4/own-aws', {}, ['invalid_type role_arn']],
    ['/auth/aws-sigv4/own-aws', { role_arn: 'r', region: 'EU' }, ['invalid_format region']],
    ['/auth/aws-sigv4/own-aws', { role_arn: 'r', region: 'a'.repeat(65) }, ['too_big region']],
    ['/auth/aws-sigv4/own-aws', { role_arn: 'r', more: 1 }, ['unrecognized_keys']],
    ['/auth/two-step/own-two-step', [], ['invalid_type']],
    ['/auth/jwt/own-jwt', [], ['invalid_type']],
    ['/oauth2/auth/own-cc', { client_certificate: 5 }, ['invalid_type client_certificate']],
  ])('%s refuses %j', async (path, body, issues) => {
    expect(await hub.refusal(path, { token, body })).toEqual({ status: 400, code: 'invalid_body', issues });
  });

  it('of the size limits are taken', async () => {
    hub.provider.on('GET /check-key', { body: {} }).on('GET /check-basic', { body: {} });
    const most = 'x'.repeat(1024);

    await hub.connect('/api-auth/api-key/own-key', { token, body: { apiKey: most } });
    await hub.connect('/api-auth/basic/own-basic', { token, body: { username: most, password: most } });
  });
});

describe('the query', () => {
  it('gives the configuration its texts; an address for webhooks is not among them', async () => {
    const query =
      'params[a]=1&params[b][c]=2&params[d][]=3&params[webhook_url]=http://127.0.0.1:9/x&user_scope=a,b&hmac=x';
    const id = await hub.connect('/auth/unauthenticated/own-none', { token, query });

    const connection = await hub.read('own-none', id);
    expect(connection.connection_config).toEqual({ a: '1' });
    expect(connection.webhook_url_override).toBeNull();
  });

  it('that is not a map counts as absent', async () => {
    const id = await hub.connect('/auth/unauthenticated/own-none', { token, query: 'params=x' });

    expect((await hub.read('own-none', id)).connection_config).toEqual({});
  });

  it('cannot reach the prototype of anything', async () => {
    const query = 'params[__proto__][x]=1&params[constructor]=2&params[hasOwnProperty]=3';
    const id = await hub.connect('/auth/unauthenticated/own-none', { token, query });

    const { connection_config } = await hub.read('own-none', id);
    expect(Object.keys(connection_config).filter((name) => name === '__proto__')).toEqual([]);
  });
});

describe('two-step and JWT providers', () => {
  it('answer invalid_auth_mode at the endpoint of client credentials', async () => {
    const body = { client_id: 'i', client_secret: 's' };

    const refusal = await hub.refusal('/oauth2/auth/own-two-step', { token, body });

    expect(refusal).toMatchObject({ status: 400, code: 'invalid_auth_mode' });
  });
});

describe('a session', () => {
  // The time that passes here ends the session of the other tests.
  afterAll(openToken);

  it('works for several connections until it ends', async () => {
    const at = '/auth/unauthenticated/own-none';
    const own = await hub.openSession();
    const first = await hub.connect(at, { token: own });
    clock.skip(29 * MINUTE_MS);
    const second = await hub.connect(at, { token: own });
    expect(first).not.toBe(second);

    clock.skip(MINUTE_MS + 1);

    expect(await hub.refusal(at, { token: own })).toMatchObject({ status: 401, code: 'unknown_connect_session_token' });
  });

  it('that was deleted is over', async () => {
    const own = await hub.openSession();
    await hub.api.send('DELETE /connect/session', { headers: { authorization: `Bearer ${own}` } });

    expect(await hub.refusal('/auth/unauthenticated/own-none', { token: own })).toMatchObject({
      status: 401,
      code: 'unknown_connect_session_token',
    });
  });
});
