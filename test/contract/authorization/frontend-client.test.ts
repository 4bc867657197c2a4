import Nango from '@nangohq/frontend';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthModesHub } from './auth-modes-hub.ts';
import { acceptAll } from './authorization-providers.ts';

type Options = Parameters<Nango['auth']>[1];

let hub: AuthModesHub;

beforeAll(async () => {
  hub = await AuthModesHub.start();
  acceptAll(hub.provider);
});
afterAll(() => hub?.stop());

const clientWith = (connectSessionToken: string): Nango => new Nango({ host: hub.server.url, connectSessionToken });
const client = async (): Promise<Nango> => clientWith(await hub.openSession());

/** The arguments of the application to the client, by integration (auth-and-connect.md 1.4). */
const GIVEN: Array<[key: string, type: string, options: unknown]> = [
  ['own-two-step', 'TWO_STEP', { credentials: { type: 'TWO_STEP', username: 'me' } }],
  ['own-signature', 'SIGNATURE', { credentials: { type: 'SIGNATURE', username: 'me', password: 'p' } }],
  ['own-bill', 'BILL', { credentials: { username: 'me', password: 'p', organization_id: 'o', dev_key: 'd' } }],
  ['own-key', 'API_KEY', { credentials: { apiKey: 'k' } }],
  ['own-basic', 'BASIC', { credentials: { username: 'me', password: 'p' } }],
  ['own-jwt', 'JWT', { credentials: { type: 'JWT', privateKey: 'id:secret' } }],
  ['own-tba', 'TBA', { credentials: { token_id: 'i', token_secret: 's' }, params: { accountId: 'a' } }],
  ['own-cc', 'OAUTH2_CC', { credentials: { client_id: 'i', client_secret: 's' }, params: { tenant: 'acme' } }],
  ['own-outbound', 'OAUTH2', { credentials: {}, installation: 'outbound' }],
];

describe('the official frontend client', () => {
  it.each(GIVEN)('connects %s', async (key, type, options) => {
    const result = await (await client()).auth(key, options as Options);

    expect(result).toEqual({ providerConfigKey: key, connectionId: expect.any(String) });
    expect(await hub.read(key, result.connectionId)).toMatchObject({ credentials: { type }, end_user: { id: 'u1' } });
  });

  it('connects without credentials', async () => {
    const { connectionId } = await (await client()).create('own-none', { params: { area: 'a/b & c' } });

    expect((await hub.read('own-none', connectionId)).connection_config).toEqual({ area: 'a/b & c' });
  });

  it('renews a connection', async () => {
    const { connectionId } = await (await client()).auth('own-key', { credentials: { apiKey: 'old' } });
    const renewing = clientWith(await hub.openReconnect('own-key', connectionId));

    const result = await renewing.reconnect('own-key', { credentials: { apiKey: 'new' } });

    expect(result.connectionId).toBe(connectionId);
    expect((await hub.read('own-key', connectionId)).credentials.apiKey).toBe('new');
  });

  it('understands refusals', async () => {
    hub.provider.on('GET /check-key', { status: 401 });
    const refused = (await client()).auth('own-key', { credentials: { apiKey: 'bad' } });
    await expect(refused).rejects.toMatchObject({
      type: 'connection_test_failed',
      message: expect.stringContaining('refused the credentials'),
    });
    hub.provider.on('GET /check-key', { body: {} });

    const over = clientWith(`nango_connect_session_${'0'.repeat(64)}`).create('own-none');
    await expect(over).rejects.toMatchObject({ type: 'unknown_connect_session_token' });
    const chosen = (await client()).create('own-none', 'my-id');
    await expect(chosen).rejects.toMatchObject({ type: 'invalid_query_params' });
  });
});

describe('pages of any origin', () => {
  const origin = 'https://app.example.test';

  it('may call, and read the answer', async () => {
    const at = `/auth/unauthenticated/own-none?connect_session_token=${await hub.openSession()}`;
    const asks = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' };

    const preflight = await hub.api.send(`OPTIONS ${at}`, { headers: { authorization: undefined, ...asks } });
    const response = await hub.api.send(`POST ${at}`, { headers: { authorization: undefined, origin } });

    expect(preflight.status).toBeLessThan(300);
    expect(String(preflight.headers['access-control-allow-headers']).toLowerCase()).toContain('content-type');
    expect([preflight, response].map(({ headers }) => headers['access-control-allow-origin'])).toEqual(['*', '*']);
    expect(response.status).toBe(200);
  });
});
