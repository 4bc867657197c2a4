import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Webhook, WebhookReceiver } from '../webhooks/webhook-receiver.ts';
import { AuthModesHub, type Submission } from './auth-modes-hub.ts';

const NONE = '/auth/unauthenticated/own-none';
const KEY = '/api-auth/api-key/own-key';
const GOOD = { apiKey: 'good-key' };
const BAD = { apiKey: 'bad-key' };
const CC = '/oauth2/auth/own-cc';
const CLIENT = { client_id: 'client-1', client_secret: 'secret-1' };
const TENANT = 'params[tenant]=acme';

let hub: AuthModesHub;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  hub = await AuthModesHub.start({ env: { HOMEPORT_WEBHOOK_URL: receiver.address() } });
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

/** Every webhook so far, failures first; there must be `count` of them, and no more once a later one has arrived. */
async function received(count: number, path = '/hook'): Promise<Webhook[]> {
  const isOfTest = ({ providerConfigKey }: Webhook): boolean => providerConfigKey !== 'own-none';
  if (count > 0) await receiver.webhooks(count, isOfTest, path);
  // A renewal: no setting suppresses its webhook.
  const address = path === '/hook' ? {} : { webhook_url_override: receiver.address(path) };
  const end = await hub.connect(NONE);
  await hub.connect(NONE, { token: await hub.openReconnect('own-none', end, address) });
  await receiver.webhooks(1, ({ connectionId, operation }) => connectionId === end && operation === 'override', path);
  const all: Webhook[] = (await receiver.webhooks(1, () => true, path)).filter(isOfTest);
  return all.sort((one, other) => Number(one.success) - Number(other.success));
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

    expect(await received(1)).toEqual([{ ...common, connectionId, operation: 'creation', success: true }]);
  });

  it('contains the organization of the end user, and no end user when there is none', async () => {
    const organization = await hub.openSession({ organization: { id: 'o1' } });
    const nobody = await hub.openSession({ end_user: undefined, tags: { a: 'b' } });
    await hub.connect(KEY, { body: GOOD, token: organization });
    await hub.connect(KEY, { body: GOOD, token: nobody });

    const webhooks = await received(2);

    expect(webhooks.find(({ tags }) => tags.organization_id)).toMatchObject({ endUser: { organizationId: 'o1' } });
    const ofNobody = webhooks.find(({ tags }) => !tags.organization_id);
    expect(ofNobody).not.toHaveProperty('endUser');
    expect(ofNobody.tags).toEqual({ a: 'b' });
  });

  it('tells its failure, with the id that it would have had', async () => {
    await refuse(KEY, { body: BAD });

    expect(await received(1)).toEqual([
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
    [{ drop: true }, 'client_credentials_fetch_error'],
  ])('names what went wrong: %j', async (response, type) => {
    hub.provider.on('POST /cc/acme/token', response);
    await refuse(CC, { body: CLIENT, query: TENANT });

    const [webhook] = await received(1);

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

    expect(await received(0)).toEqual([]);
  });

  it('is not sent when it is switched off', async () => {
    await setCreation(false);
    await hub.connect(KEY, { body: GOOD });
    await refuse(KEY, { body: BAD });

    expect(await received(0)).toEqual([]);
  });

  it('is sent only to the address of the session', async () => {
    const token = await hub.openSession({ webhook_url_override: receiver.address('/second') });
    await refuse(KEY, { body: BAD, token });
    await hub.connect(KEY, { body: GOOD, token });

    expect((await received(2, '/second')).map(({ success }) => success)).toEqual([false, true]);
    expect(await received(0)).toEqual([]);
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
    expect(await received(2)).toEqual([
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

    expect(await received(2, '/second')).toMatchObject([{ success: false }, { success: true }]);
    expect(await received(0)).toEqual([]);
  });

  it('has the end user and the tags that the session brings', async () => {
    const connectionId = await hub.connect(KEY, { body: GOOD });
    const token = await hub.openReconnect('own-key', connectionId, { end_user: { id: 'u2' }, tags: { a: 'b' } });
    await refuse(KEY, { body: BAD, token });

    const [failure] = await received(2);

    expect(failure).toMatchObject({ operation: 'override', endUser: { endUserId: 'u2' } });
    expect(failure.tags).toEqual({ end_user_id: 'u2', a: 'b' });
  });
});

describe('a connection that waits for the provider', () => {
  it('sends a webhook like any other', async () => {
    const connectionId = await hub.connect('/auth/oauth-outbound/own-outbound');

    expect(await received(1)).toMatchObject([
      { connectionId, operation: 'creation', success: true, authMode: 'OAUTH2' },
    ]);
  });
});
