import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type RoutingSetup, rawBodyOf, route, type SentWebhook } from '../../../test/support/routing-fixture.ts';

const SECRET = 'secret-1';
const SETUP: RoutingSetup = { app: { clientSecret: SECRET, webhookSecret: SECRET } };
const MISSING = { kind: 'refused', status: 401, message: 'Missing webhook signature' };
const INVALID = { kind: 'refused', status: 401, message: 'Invalid webhook signature' };

const hmac = (raw: string, encoding: 'hex' | 'base64', algorithm = 'sha256') =>
  createHmac(algorithm, SECRET).update(raw).digest(encoding);
const signed = (sent: SentWebhook, header: string, sign: (raw: string) => string): SentWebhook => ({
  ...sent,
  headers: { ...sent.headers, [header]: sign(rawBodyOf(sent)) },
});

describe('autotaskWebhookRouting', () => {
  it('finds the connection by the id of the webhook', async () => {
    const body = { Guid: 'g-1', EntityType: 'Ticket', Action: 'Create' };
    const sent = signed({ body }, 'x-hook-signature', (raw) => `sha1=${hmac(raw, 'base64', 'sha1')}`);

    expect(await route('autotaskWebhookRouting', sent, SETUP)).toEqual({
      kind: 'handled',
      events: [{ types: ['Ticket'], targets: [{ property: 'webhookGuid', value: 'g-1' }], payload: body }],
      forward: body,
    });
  });
});

describe('linearWebhookRouting', () => {
  it('finds connections by their organization', async () => {
    const body = { type: 'Issue', action: 'create', organizationId: 'o-1' };
    const sent = signed({ body }, 'linear-signature', (raw) => hmac(raw, 'hex'));

    expect(await route('linearWebhookRouting', sent, SETUP)).toEqual({
      kind: 'handled',
      events: [{ types: ['Issue'], targets: [{ property: 'organizationId', value: 'o-1' }], payload: body }],
      forward: body,
    });
  });
});

describe('jobberWebhookRouting', () => {
  const send = (body: unknown) =>
    route(
      'jobberWebhookRouting',
      signed({ body }, 'x-jobber-hmac-sha256', (raw) => hmac(raw, 'base64')),
      SETUP,
    );

  it('hands over the event inside the body', async () => {
    const event = { topic: 'CLIENT_CREATE', accountId: 'a-1' };
    const body = { data: { webHookEvent: event } };

    expect(await send(body)).toEqual({
      kind: 'handled',
      events: [{ types: ['CLIENT_CREATE'], targets: [{ property: 'accountId', value: 'a-1' }], payload: event }],
      forward: body,
    });
  });

  it('finds nothing in a body without one', async () => {
    expect(await send({ data: {} })).toEqual({ kind: 'handled', events: [], forward: { data: {} } });
  });
});

describe('xeroWebhookRouting', () => {
  const send = (body: unknown, secret = SECRET) =>
    route(
      'xeroWebhookRouting',
      signed({ body }, 'x-xero-signature', (raw) => createHmac('sha256', secret).update(raw).digest('base64')),
      SETUP,
    );

  it('makes an event of each', async () => {
    const events = [
      { eventType: 'UPDATE', tenantId: 't-1' },
      { eventType: 'CREATE', tenantId: 't-2' },
    ];

    expect(await send({ events })).toEqual({
      kind: 'handled',
      events: [
        { types: ['UPDATE'], targets: [{ property: 'tenant_id', value: 't-1' }], payload: events[0] },
        { types: ['CREATE'], targets: [{ property: 'tenant_id', value: 't-2' }], payload: events[1] },
      ],
      forward: { events },
    });
  });

  it('answers the intent to receive: 200 when it is signed right, 401 when wrong', async () => {
    const body = { events: [], firstEventSequence: 0 };

    expect(await send(body)).toEqual({ kind: 'answered', contentType: 'text/plain', text: '' });
    expect(await send(body, 'other')).toEqual(INVALID);
  });
});

describe('hubspotWebhookRouting', () => {
  const sha256 = (raw: string | Buffer) => createHash('sha256').update(SECRET).update(raw).digest('hex');
  const send = (sent: SentWebhook) => route('hubspotWebhookRouting', sent, SETUP);

  it('hands over events one by one: object by object, creations first, then by time', async () => {
    const event = (objectId: number, subscriptionType: string, occurredAt: number) => ({
      portalId: 62,
      objectId,
      subscriptionType,
      occurredAt,
    });
    const body = [
      event(1, 'contact.propertyChange', 30),
      event(2, 'deal.propertyChange', 5),
      event(1, 'contact.propertyChange', 10),
      event(1, 'contact.creation', 40),
      event(2, 'deal.deletion', 1),
      { ...event(1, 'contact.creation', 1), changeSource: 'IMPORT' },
    ];

    const result = await send(signed({ body }, 'x-hubspot-signature', sha256));

    expect(result).toEqual({
      kind: 'handled',
      forward: body,
      events: [3, 2, 0, 4, 1].map((at) => ({
        types: [body[at]?.subscriptionType],
        targets: [{ property: 'portalId', value: '62' }],
        payload: body[at],
      })),
    });
  });

  it('takes a single event', async () => {
    const body = { portalId: 62, subscriptionType: 'contact.creation' };

    expect(await send(signed({ body }, 'x-hubspot-signature', sha256))).toMatchObject({ events: [{ payload: body }] });
  });

  it('takes a signature of the body as JavaScript would write it', async () => {
    const body = [{ portalId: 62, name: 'é' }];
    const rawBody = '[ {"portalId": 62.0, "name": "\\u00e9"} ]';

    const headers = { 'x-hubspot-signature': sha256(JSON.stringify(body)) };
    expect(await send({ body, rawBody, headers })).toMatchObject({ kind: 'handled' });
  });

  it('refuses a continued body, whatever its content type', async () => {
    // A hash of secret and body can be continued without the secret; the first added byte is 0x80.
    const rawBody = '[{"portalId":62}]\u0080\u0000\u0000&portalId=62';
    const headers = { 'x-hubspot-signature': sha256(rawBody), 'content-type': 'application/x-www-form-urlencoded' };

    expect(await send({ body: { portalId: '62' }, rawBody, headers })).toEqual(INVALID);
  });
});

describe('sellsyWebhookRouting', () => {
  it('refuses a continued body', async () => {
    const rawBody = '{"corpid":7}\u0080\u0000&corpid=8';
    const signature = createHash('sha1').update(`${SECRET}${rawBody}`).digest('hex');

    const sent = { body: { corpid: '8' }, rawBody, headers: { 'x-webhook-signature': signature } };
    expect(await route('sellsyWebhookRouting', sent, SETUP)).toEqual(INVALID);
  });
});

describe('sentryOauthWebhookRouting', () => {
  it('takes a signature of the body as JavaScript would write it', async () => {
    const body = { action: 'created', weight: 1 };
    const headers = { 'sentry-hook-signature': hmac(JSON.stringify(body), 'hex') };

    const sent = { body, rawBody: '{"action": "created", "weight": 1.0}', headers };
    expect(await route('sentryOauthWebhookRouting', sent, SETUP)).toMatchObject({ kind: 'handled' });
  });
});

describe('checkrPartnerWebhookRouting', () => {
  const body = { type: 'report.completed', account_id: 'a-1' };
  const handled = {
    kind: 'handled',
    events: [
      { types: ['report.completed'], targets: [{ property: 'checkr_account_id', value: 'a-1' }], payload: body },
    ],
    forward: body,
  };
  const send = (headers: Record<string, string>, setup = SETUP) =>
    route('checkrPartnerWebhookRouting', { body, headers }, setup);

  it('takes a webhook that is signed right', async () => {
    expect(await send({ 'x-checkr-signature': hmac(JSON.stringify(body), 'hex') })).toEqual(handled);
  });

  it('refuses one that is signed wrong', async () => {
    expect(await send({ 'x-checkr-signature': 'x' })).toEqual(INVALID);
  });

  it('refuses one that is not signed', async () => {
    expect(await send({})).toEqual(MISSING);
    expect(await send({}, { ...SETUP, skipsSignature: true })).toEqual(handled);
  });
});

describe('aircallWebhookRouting', () => {
  const send = (body: unknown, setup: RoutingSetup = SETUP) =>
    route('aircallWebhookRouting', { query: { nangoConnectionId: 'c-1' }, body }, setup);
  const ofConnection = { connections: [{ connectionId: 'c-1', metadata: { webhookSecret: ['t-1', 't-2'] } }] };

  it.each([
    ['of the integration', SECRET, SETUP],
    ['of the connection', 't-2', ofConnection],
  ])('compares the token in the body with the secret %s', async (_whose, token, setup) => {
    expect(await send({ token }, setup)).toMatchObject({ kind: 'handled' });
    expect(await send({ token: `${token}0` }, setup)).toEqual(INVALID);
    expect(await send({ token: { $ne: '' } }, setup)).toEqual(MISSING);
    expect(await send({}, setup)).toEqual(MISSING);
  });

  it('takes every token where no secret is configured', async () => {
    expect(await send({ token: 'x' }, {})).toMatchObject({ kind: 'handled' });
  });
});

describe('connectwisePsaWebhookRouting', () => {
  const KEY_URL = 'https://api-na.myconnectwise.net/v4_6/callbackkey?id=1';
  const key = createHash('sha256').update('signing-key').digest();
  const send = (keyUrl: unknown, documents: RoutingSetup['documents'] = { [KEY_URL]: keyDocument('signing-key') }) => {
    const body = { Type: 'ticket', ProductInstanceId: 'p-1', Metadata: { key_url: keyUrl } };
    const signature = createHmac('sha256', key).update(JSON.stringify(body)).digest('base64');
    const headers = { 'x-content-signature': signature };
    return route('connectwisePsaWebhookRouting', { body, headers }, { ...(documents ? { documents } : {}) });
  };
  const keyDocument = (signing_key: unknown) => ({ json: { signing_key }, headers: {} });

  it('checks with the key that the provider publishes', async () => {
    expect(await send(KEY_URL)).toMatchObject({
      kind: 'handled',
      events: [{ types: ['ticket'], targets: [{ property: 'metadata.productInstanceId', value: 'p-1' }] }],
    });
    expect(await send(KEY_URL, { [KEY_URL]: keyDocument('other') })).toEqual(INVALID);
    expect(await send(KEY_URL, { [KEY_URL]: keyDocument(undefined) })).toEqual(INVALID);
  });

  it.each([
    'http://api-na.myconnectwise.net/key',
    'https://evil.test/key',
    'https://evil.test/.myconnectwise.net',
    'https://api-na.myconnectwise.net.evil.test/key',
    'https://evilmyconnectwise.net/key',
    'https://api-na.myconnectwise.net@evil.test/key',
    'https://api-na.myconnectwise.net:8443/key',
    'no address',
    '',
    undefined,
  ])('asks nobody for the key at %s', async (keyUrl) => {
    const documents = typeof keyUrl === 'string' ? { [keyUrl]: keyDocument('signing-key') } : {};

    expect(await send(keyUrl, documents)).toEqual(INVALID);
  });

  it('fails when the key cannot be had, so that the provider tries again', async () => {
    await expect(send(KEY_URL, {})).rejects.toThrow('cannot be had');
  });
});

describe('highlevelWebhookRouting', () => {
  it('says that the secret is not a public key', async () => {
    const sent = { body: { type: 'a' }, headers: { 'x-wh-signature': 'x' } };

    expect(await route('highlevelWebhookRouting', sent, SETUP)).toMatchObject({
      kind: 'refused',
      status: 400,
      message: expect.stringMatching(/not a public key/),
    });
  });
});
