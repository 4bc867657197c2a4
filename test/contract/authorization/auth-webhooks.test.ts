import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Webhook, WebhookReceiver } from '../webhooks/webhook-receiver.ts';
import { SignInHub, type Submission } from './sign-in-hub.ts';

const NONE = '/auth/unauthenticated/own-none';
const KEY = '/api-auth/api-key/own-key';
const GOOD = { apiKey: 'good-key' };
const BAD = { apiKey: 'bad-key' };
const CC = '/oauth2/auth/own-cc';
const CLIENT = { client_id: 'client-1', client_secret: 'secret-1' };
const TENANT = 'params[tenant]=acme';

let hub: SignInHub;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  hub = await SignInHub.start({ env: { HOMEPORT_WEBHOOK_URL: receiver.address() } });
  hub.provider.on('GET /check-key', ({ headers }) => ({ status: headers['x-own-key'] === GOOD.apiKey ? 200 : 401 }));
});
afterAll(async () => {
  await hub?.stop();
  await receiver?.stop();
});
beforeEach(() => {
  receiver.server.requests.length = 0;
});
afterEach(() => setCreation(true));

async function setCreation(on_auth_creation: boolean): Promise<void> {
  await hub.api.send('PATCH /environment/settings', { body: { webhook: { on_auth_creation } } });
}

/** All that came, once a last one is there: deliveries to one address keep their order. */
async function received(path = '/hook'): Promise<Webhook[]> {
  // A renewal: no setting keeps its webhook back.
  const address = path === '/hook' ? {} : { webhook_url_override: receiver.address(path) };
  const end = await hub.connect(NONE);
  await hub.connect(NONE, { token: await hub.openReconnect('own-none', end, address) });
  const isEnd = ({ connectionId, operation }: Webhook): boolean => connectionId === end && operation === 'override';
  await receiver.webhooks(1, isEnd, path);
  const all = await receiver.webhooks(1, () => true, path);
  return all.filter(({ providerConfigKey }) => providerConfigKey !== 'own-none');
}

async function refuse(path: string, submission: Submission): Promise<void> {
  expect((await hub.refusal(path, submission)).status).toBeGreaterThanOrEqual(400);
}

const common = {
  from: 'nango',
  type: 'auth',
  environment: 'dev',
  provider: 'own-key',
  providerConfigKey: 'own-key',
  authMode: 'API_KEY',
  endUser: { endUserId: 'u1', endUserEmail: 'u1@example.test', tags: {} },
  tags: { end_user_id: 'u1', end_user_email: 'u1@example.test', end_user_display_name: 'U One' },
};

describe('the webhook of a new connection', () => {
  it('tells its success', async () => {
    const connectionId = await hub.connect(KEY, { body: GOOD });

    expect(await received()).toEqual([{ ...common, connectionId, operation: 'creation', success: true }]);
  });

  it('has the organization of the end user, and no end user where there is none', async () => {
    const organization = await hub.openSession({ organization: { id: 'o1' } });
    const nobody = await hub.openSession({ end_user: undefined, tags: { a: 'b' } });
    await hub.connect(KEY, { body: GOOD, token: organization });
    await hub.connect(KEY, { body: GOOD, token: nobody });

    const [first, second] = await received();

    expect(first.endUser).toMatchObject({ organizationId: 'o1' });
    expect(second).not.toHaveProperty('endUser');
    expect(second.tags).toEqual({ a: 'b' });
  });

  it('tells its failure, with the id that it would have had', async () => {
    await refuse(KEY, { body: BAD });

    expect(await received()).toEqual([
      {
        ...common,
        connectionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        operation: 'creation',
        success: false,
        error: { type: 'connection_test_failed', description: expect.stringContaining('refused the credentials') },
      },
    ]);
  });

  it.each([
    [{ status: 401, body: { error: 'invalid_client' } }, 'client_credentials_fetch_error'],
    [{ drop: true }, 'unknown'],
  ])('names what went wrong: %j', async (answer, type) => {
    hub.provider.on('POST /cc/acme/token', answer);
    await refuse(CC, { body: CLIENT, query: TENANT });

    const [webhook] = await received();

    expect(webhook).toMatchObject({ success: false, error: { type }, authMode: 'OAUTH2_CC' });
    expect(webhook.error.description).not.toContain(CLIENT.client_secret);
  });

  it('is not sent of requests that made no attempt', async () => {
    const restricted = await hub.openSession({ allowed_integrations: ['own-none'] });
    await refuse(KEY, { body: {} });
    await refuse(KEY, { body: GOOD, token: restricted });
    await refuse('/api-auth/basic/own-key', { body: { username: 'u', password: 'p' } });
    await refuse('/auth/oauth-outbound/own-oauth2', {});
    await refuse('/api-auth/api-key/nobody', { body: GOOD });

    expect(await received()).toEqual([]);
  });

  it('is not sent when it is switched off', async () => {
    await setCreation(false);
    await hub.connect(KEY, { body: GOOD });
    await refuse(KEY, { body: BAD });

    expect(await received()).toEqual([]);
  });

  it('goes to the address of the session only', async () => {
    const token = await hub.openSession({ webhook_url_override: receiver.address('/second') });
    await refuse(KEY, { body: BAD, token });
    await hub.connect(KEY, { body: GOOD, token });

    expect((await received('/second')).map(({ success }) => success)).toEqual([false, true]);
    expect(await received()).toEqual([]);
  });
});

describe('the webhook of a renewed connection', () => {
  it('tells success and failure, also when that of creations is switched off', async () => {
    await setCreation(false);
    const connectionId = await hub.connect(KEY, { body: GOOD });
    const token = await hub.openReconnect('own-key', connectionId);
    await refuse(KEY, { body: BAD, token });
    await hub.connect(KEY, { body: GOOD, token });

    const renewed = { ...common, connectionId, operation: 'override' };
    expect(await received()).toEqual([
      { ...renewed, success: false, error: { type: 'connection_test_failed', description: expect.any(String) } },
      { ...renewed, success: true },
    ]);
  });

  it("goes to the connection's own address, in failure too", async () => {
    await setCreation(false);
    const own = await hub.openSession({ webhook_url_override: receiver.address('/second') });
    const connectionId = await hub.connect(KEY, { body: GOOD, token: own });
    const token = await hub.openReconnect('own-key', connectionId);
    await refuse(KEY, { body: BAD, token });
    await hub.connect(KEY, { body: GOOD, token });

    expect(await received('/second')).toMatchObject([{ success: false }, { success: true }]);
    expect(await received()).toEqual([]);
  });

  it('has the end user and the tags that the session brings', async () => {
    const connectionId = await hub.connect(KEY, { body: GOOD });
    const token = await hub.openReconnect('own-key', connectionId, { end_user: { id: 'u2' }, tags: { a: 'b' } });
    await refuse(KEY, { body: BAD, token });

    const [, failure] = await received();

    expect(failure).toMatchObject({ operation: 'override', endUser: { endUserId: 'u2' } });
    expect(failure.tags).toEqual({ end_user_id: 'u2', a: 'b' });
  });
});

describe('a connection that waits for the provider', () => {
  it('is told like any other', async () => {
    const connectionId = await hub.connect('/auth/oauth-outbound/own-outbound');

    expect(await received()).toMatchObject([{ connectionId, operation: 'creation', success: true, authMode: 'OAUTH2' }]);
  });
});
