import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import { importConnection } from '../../support/import-practice-connection.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { ApiCaller, type ApiResponse } from '../http/api-caller.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

/** The built-in routings, called as providers call them. */
let server: InProcessServer;
let api: ApiCaller;
let receiver: WebhookReceiver;
let provider: FakeProvider;
let base: string;

const APP = { type: 'OAUTH2', client_id: 'id', client_secret: 'app-secret', webhook_secret: 'hook-secret' };

const KEYS = [
  ...['slack', 'hubspot', 'notion', 'linear', 'intercom', 'monday', 'facebook', 'dropbox', 'mailchimp'],
  ...['outlook', 'one-drive', 'sharepoint-online', 'microsoft-teams'],
];

beforeAll(async () => {
  [receiver, provider] = await Promise.all([WebhookReceiver.start(), FakeProvider.start()]);
  server = await startInProcess({ env: { HOMEPORT_WEBHOOK_URL: receiver.address() } });
  api = new ApiCaller(server);
  for (const key of KEYS) {
    const { status } = await api.send('POST /integrations', {
      body: { provider: key, unique_key: key, credentials: APP },
    });
    expect(status, key).toBe(200);
  }
  const { body } = await api.send('GET /integrations/slack?include=webhook');
  base = new URL((body as { data: { webhook_url: string } }).data.webhook_url).pathname.replace(/slack$/, '');
});
afterAll(async () => {
  await server?.stop();
  await receiver?.stop();
  await provider?.stop();
});

const send = (key: string, body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> =>
  api.send(`POST ${base}${key}`, {
    body: JSON.stringify(body),
    headers: { authorization: undefined, 'content-type': 'application/json', ...headers },
  });
async function connect(key: string, id: string, connection_config: object): Promise<void> {
  const credentials = { type: 'OAUTH2', access_token: 'a', no_expiration: true };
  const made = await importConnection(server, {
    provider_config_key: key,
    connection_id: id,
    credentials,
    connection_config,
  });
  expect(made.status).toBe(201);
}

describe('Intercom', () => {
  const notice = { type: 'notification_event', topic: 'contact.user.created' };
  const signed = (secret: string): Record<string, string> => {
    const hmac = createHmac('sha1', secret).update(JSON.stringify(notice));
    return { 'x-hub-signature': `sha1=${hmac.digest('hex')}` };
  };

  it.each([undefined, '203.0.113.9'])('finds the address there when it looks, forwarded for %s', async (from) => {
    const look = (key: string) =>
      api.send(`HEAD ${base}${key}`, { headers: { authorization: undefined, 'x-forwarded-for': from } });

    expect([(await look('intercom')).status, (await look('nobody')).status]).toEqual([200, 404]);
    expect((await look('slack')).status).toBe(404);
  });

  it('signs with the client secret of the app', async () => {
    const statusOf = async (headers: Record<string, string>) => (await send('intercom', notice, headers)).status;

    expect(await statusOf(signed('app-secret'))).toBe(200);
    expect(await statusOf(signed('other-secret'))).toBe(401);
    expect(await statusOf({})).toBe(401);
  });
});

/** Providers that check an address, on this computer and through a tunnel (webhooks.md 2.5). */
describe.each([{}, { 'x-forwarded-host': 'hub.example.com' }])('the check of an address, with headers %o,', (via) => {
  const ask = (request: string, headers: Record<string, string> = {}) =>
    api.send(request, { headers: { authorization: undefined, ...via, ...headers } });

  it('by Microsoft is answered for every integration of Microsoft Graph', async () => {
    for (const key of ['outlook', 'one-drive', 'sharepoint-online', 'microsoft-teams']) {
      const { status, bytes, headers } = await ask(`POST ${base}${key}?validationToken=Validation%3A+a%2Bb+%3Cb%3E`);

      expect([status, bytes.toString(), headers['content-type']]).toEqual([
        200,
        'Validation: a+b <b>',
        'text/plain; charset=utf-8',
      ]);
    }
  });

  it('by monday.com gets the same JSON back', async () => {
    const { status, body } = await send('monday', { challenge: '3eZbrw1aBm2rZgRNFdxV' }, via);

    expect([status, body]).toEqual([200, { challenge: '3eZbrw1aBm2rZgRNFdxV' }]);
  });

  it('by GET is answered where the provider checks by it, and shown in the inspector', async () => {
    const meta = '?hub.mode=subscribe&hub.challenge=42&hub.verify_token=';
    const right = await ask(`GET ${base}facebook${meta}hook-secret`);
    const wrong = await ask(`GET ${base}facebook${meta}other`);

    expect([right.status, right.bytes.toString()]).toEqual([200, '42']);
    expect(wrong.status).toBe(403);
    expect((await ask(`GET ${base}dropbox?challenge=abc`)).bytes.toString()).toBe('abc');
    expect((await ask(`GET ${base}mailchimp`)).status).toBe(200);
  });

  it('is nothing else', async () => {
    const statusOf = async (request: string) => (await ask(request)).status;
    const expected = 'x-forwarded-host' in via ? 421 : 404;

    expect(await statusOf(`GET ${base}dropbox`)).toBe(expected);
    expect(await statusOf(`GET ${base}linear?challenge=abc`)).toBe(expected);
    expect(await statusOf(`GET ${base}nobody`)).toBe(expected);
    expect(await statusOf(`HEAD ${base}dropbox`)).toBe(404);
  });
});

describe('Slack', () => {
  const signed = (body: unknown): Record<string, string> => {
    const time = String(Math.floor(Date.now() / 1000));
    const hmac = createHmac('sha256', 'hook-secret').update(`v0:${time}:${JSON.stringify(body)}`);
    return { 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${hmac.digest('hex')}` };
  };

  it('verifies its address and is passed on to the connection of its team', async () => {
    await connect('slack', 'team', { 'team.id': 'T1' });
    const challenge = { type: 'url_verification', challenge: 'abc' };
    const response = await send('slack', challenge, signed(challenge));
    const event = { type: 'event_callback', team_id: 'T1' };

    expect([response.status, response.bytes.toString()]).toEqual([200, 'abc']);
    expect((await send('slack', event)).body).toEqual({ error: 'Missing webhook signature' });
    expect((await send('slack', event, signed(event))).body).toEqual({ status: 'success' });
    expect(await receiver.webhooks(1, ({ from }) => from === 'slack')).toMatchObject([
      { type: 'forward', connectionId: 'team', payload: event },
    ]);
  });
});

describe('HubSpot', () => {
  it('is passed on once for each of two connections of one portal', async () => {
    await connect('hubspot', 'a', { portalId: 62 });
    await connect('hubspot', 'b', { portalId: '62' });
    const body = [{ subscriptionType: 'contact.creation', portalId: 62, objectId: 1, occurredAt: 1 }];
    const hash = (await import('node:crypto')).createHash('sha256').update(`app-secret${JSON.stringify(body)}`);

    expect((await send('hubspot', body)).status).toBe(401);
    expect((await send('hubspot', body, { 'x-hubspot-signature': hash.digest('hex') })).status).toBe(200);
    const forwards = await receiver.webhooks(2, ({ from }) => from === 'hubspot');
    expect(forwards.map(({ connectionId }) => connectionId).sort()).toEqual(['a', 'b']);
  });
});

describe('Linear', () => {
  it('must sign', async () => {
    const body = { type: 'Issue', organizationId: 'o' };
    const signature = createHmac('sha256', 'hook-secret').update(JSON.stringify(body)).digest('hex');

    expect((await send('linear', body)).status).toBe(401);
    expect((await send('linear', body, { 'linear-signature': '0'.repeat(64) })).body).toEqual({
      error: 'Invalid webhook signature',
    });
    expect((await send('linear', body, { 'linear-signature': signature })).status).toBe(200);
  });
});

describe('the webhook secret of an integration without app credentials', () => {
  const event = { triggerEvent: 'BOOKING_CREATED', nangoConnectionId: 'c-1' };
  const signed = {
    'x-cal-signature-256': createHmac('sha256', 'cal-secret').update(JSON.stringify(event)).digest('hex'),
  };

  it('is a custom value', async () => {
    const { status } = await api.send('POST /integrations', {
      body: { provider: 'cal-com-v2', unique_key: 'cal', custom: { webhookSecret: 'cal-secret' } },
    });
    expect(status).toBe(200);

    expect((await send('cal', event)).body).toEqual({ error: 'Missing webhook signature' });
    expect((await send('cal', event, { 'x-cal-signature-256': 'wrong' })).status).toBe(401);
    expect((await send('cal', event, signed)).status).toBe(200);
  });
});
