import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  NOW,
  NOW_SECONDS,
  type RoutingSetup,
  rawBodyOf,
  route,
  type SentWebhook,
} from '../../../test/support/routing-fixture.ts';

const SECRET = 'secret-1';
const WHSEC = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const PEM = '-----BEGIN RSA PRIVATE KEY-----\nMII=\n-----END RSA PRIVATE KEY-----';
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KEY_URL = 'https://na.myconnectwise.net/key';

const MISSING = { kind: 'refused', status: 401, message: 'Missing webhook signature' };
const INVALID = { kind: 'refused', status: 401, message: 'Invalid webhook signature' };

type Sign = (raw: string) => string;
const hmac =
  (encoding: 'hex' | 'base64', prefix = '', key: string | Buffer = SECRET, algorithm = 'sha256'): Sign =>
  (raw) =>
    prefix + createHmac(algorithm, key).update(raw).digest(encoding);

const standard =
  (secret: string): Sign =>
  (raw) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`msg_1.${NOW_SECONDS}.${raw}`).digest('base64')}`;
  };
const versioned: Sign = (raw) => `v0=${createHmac('sha256', SECRET).update(`v0:${NOW_SECONDS}:${raw}`).digest('hex')}`;
const timestamped: Sign = (raw) =>
  `t=${NOW_SECONDS},v1=${createHmac('sha256', SECRET).update(`${NOW_SECONDS}.${raw}`).digest('hex')}`;
const hashed =
  (algorithm: string): Sign =>
  (raw) =>
    createHash(algorithm).update(SECRET).update(raw).digest('hex');

const webhookSecret: RoutingSetup = { app: { webhookSecret: SECRET } };
const clientSecret: RoutingSetup = { app: { clientSecret: SECRET } };
const connectionSecret = (secret: string): RoutingSetup => ({
  connections: [{ connectionId: 'c-1', metadata: { webhookSecret: secret } }],
});
const githubApp = {
  appId: '7',
  appLink: 'https://github.com/apps/acme',
  privateKey: Buffer.from(PEM).toString('base64'),
};
const githubKey = createHash('sha256').update(`7${PEM}https://github.com/apps/acme`).digest('hex');

interface Case {
  name: string;
  header: string;
  sign: Sign;
  setup: RoutingSetup;
  /** The webhook without its signature. */
  sent?: SentWebhook;
  /** What happens to a signed webhook when no secret is configured. */
  withoutSecret: 'taken' | 'refused';
}

const whenSet = { withoutSecret: 'taken' } as const;
const always = { withoutSecret: 'refused' } as const;
const connectionQuery: SentWebhook = { query: { nangoConnectionId: 'c-1' }, body: { type: 'a' } };
const standardSent = (name: string): SentWebhook => ({
  ...connectionQuery,
  headers: { [`${name}-id`]: 'msg_1', [`${name}-timestamp`]: NOW_SECONDS },
});

const CASES: Case[] = [
  {
    name: 'slackWebhookRouting',
    header: 'x-slack-signature',
    sign: versioned,
    setup: webhookSecret,
    sent: { headers: { 'x-slack-request-timestamp': NOW_SECONDS }, body: { type: 'event_callback', team_id: 'T1' } },
    ...whenSet,
  },
  ...['githubAppWebhookRouting', 'githubAppOauthWebhookRouting'].map((name) => ({
    name,
    header: 'x-hub-signature-256',
    sign: hmac('hex', 'sha256=', githubKey),
    setup: { app: githubApp },
    ...always,
  })),
  {
    name: 'githubAppWebhookRouting',
    header: 'x-hub-signature-256',
    sign: hmac('hex', 'sha256=', githubKey),
    setup: { app: { ...githubApp, privateKey: PEM } },
    ...always,
  },
  {
    name: 'gitlabWebhookRouting',
    header: 'webhook-signature',
    sign: standard(WHSEC),
    setup: connectionSecret(WHSEC),
    sent: standardSent('webhook'),
    ...whenSet,
  },
  {
    name: 'gitlabWebhookRouting',
    header: 'x-gitlab-token',
    sign: () => SECRET,
    setup: connectionSecret(SECRET),
    sent: connectionQuery,
    ...whenSet,
  },
  {
    name: 'hubspotWebhookRouting',
    header: 'x-hubspot-signature',
    sign: hashed('sha256'),
    setup: clientSecret,
    sent: { body: [{ portalId: 1 }] },
    ...always,
  },
  ...[clientSecret, webhookSecret].map((setup) => ({
    name: 'shopifyWebhookRouting',
    header: 'x-shopify-hmac-sha256',
    sign: hmac('base64'),
    setup,
    sent: { headers: { 'x-shopify-shop-domain': 'acme.myshopify.com' }, body: { id: 1 } },
    ...whenSet,
  })),
  {
    name: 'jiraWebhookRouting',
    header: 'x-hub-signature',
    sign: hmac('hex', 'sha256='),
    setup: webhookSecret,
    ...whenSet,
  },
  { name: 'linearWebhookRouting', header: 'linear-signature', sign: hmac('hex'), setup: webhookSecret, ...always },
  {
    name: 'notionWebhookRouting',
    header: 'x-notion-signature',
    sign: hmac('hex', 'sha256='),
    setup: webhookSecret,
    ...whenSet,
  },
  {
    name: 'calendlyWebhookRouting',
    header: 'calendly-webhook-signature',
    sign: timestamped,
    setup: webhookSecret,
    ...whenSet,
  },
  {
    name: 'xeroWebhookRouting',
    header: 'x-xero-signature',
    sign: hmac('base64'),
    setup: webhookSecret,
    sent: { body: { events: [{ tenantId: 't' }] } },
    ...always,
  },
  { name: 'attioWebhookRouting', header: 'x-attio-signature', sign: hmac('hex'), setup: webhookSecret, ...whenSet },
  {
    name: 'sentryOauthWebhookRouting',
    header: 'sentry-hook-signature',
    sign: hmac('hex'),
    setup: clientSecret,
    ...always,
  },
  {
    name: 'pagerdutyWebhookRouting',
    header: 'x-pagerduty-signature',
    sign: hmac('hex', 'v1='),
    setup: connectionSecret(SECRET),
    sent: { headers: { 'x-nango-connection-id': 'c-1' }, body: { event: { event_type: 'a' } } },
    ...whenSet,
  },
  ...['webhook', 'svix'].map((prefix) => ({
    name: 'fathomWebhookRouting',
    header: `${prefix}-signature`,
    sign: standard(WHSEC),
    setup: { app: { webhookSecret: WHSEC } },
    sent: standardSent(prefix),
    ...whenSet,
  })),
  {
    name: 'folkWebhookRouting',
    header: 'webhook-signature',
    sign: standard(WHSEC),
    setup: { app: { webhookSecret: WHSEC } },
    sent: standardSent('webhook'),
    ...whenSet,
  },
  {
    name: 'calComWebhookRouting',
    header: 'x-cal-signature-256',
    sign: hmac('hex'),
    setup: webhookSecret,
    sent: connectionQuery,
    ...whenSet,
  },
  {
    name: 'jobberWebhookRouting',
    header: 'x-jobber-hmac-sha256',
    sign: hmac('base64'),
    setup: clientSecret,
    ...always,
  },
  {
    name: 'highlevelWebhookRouting',
    header: 'x-wh-signature',
    sign: (raw) => sign('RSA-SHA256', Buffer.from(raw), rsa.privateKey).toString('base64'),
    setup: { app: { webhookSecret: String(rsa.publicKey.export({ type: 'spki', format: 'pem' })) } },
    ...whenSet,
  },
  {
    name: 'sellsyWebhookRouting',
    header: 'x-webhook-signature',
    sign: hashed('sha1'),
    setup: webhookSecret,
    ...whenSet,
  },
  {
    name: 'autotaskWebhookRouting',
    header: 'x-hook-signature',
    sign: hmac('base64', 'sha1=', SECRET, 'sha1'),
    setup: webhookSecret,
    ...always,
  },
  {
    name: 'connectwisePsaWebhookRouting',
    header: 'x-content-signature',
    sign: hmac('base64', '', createHash('sha256').update(SECRET).digest()),
    setup: { documents: { [KEY_URL]: { json: { signing_key: SECRET }, headers: {} } } },
    sent: { body: { Type: 'ticket', Metadata: { key_url: KEY_URL } } },
    unsigned: 'refused',
    // The provider's key can always be fetched here; connectwise-psa-routing.test.ts covers the other case.
    withoutSecret: 'refused',
  },
  {
    name: 'videoaskWebhookRouting',
    header: 'nango-webhook-secret',
    sign: () => SECRET,
    setup: webhookSecret,
    ...whenSet,
  },
  {
    name: 'jobdivaWebhookRouting',
    header: 'x-hub-signature',
    sign: hmac('hex', 'sha1=', SECRET, 'sha1'),
    setup: webhookSecret,
    ...whenSet,
  },
  { name: 'stripeWebhookRouting', header: 'stripe-signature', sign: timestamped, setup: webhookSecret, ...whenSet },
  ...[clientSecret, webhookSecret].map((setup) => ({
    name: 'intercomWebhookRouting',
    header: 'x-hub-signature',
    sign: hmac('hex', 'sha1=', SECRET, 'sha1'),
    setup,
    ...whenSet,
  })),
  {
    name: 'zoomWebhookRouting',
    header: 'x-zm-signature',
    sign: versioned,
    setup: webhookSecret,
    sent: { headers: { 'x-zm-request-timestamp': NOW_SECONDS }, body: { event: 'meeting.started' } },
    ...whenSet,
  },
  ...[webhookSecret, connectionSecret(SECRET)].map((setup) => ({
    name: 'asanaWebhookRouting',
    header: 'x-hook-signature',
    sign: hmac('hex'),
    setup,
    sent: connectionQuery,
    ...whenSet,
  })),
  {
    name: 'quickbooksWebhookRouting',
    header: 'intuit-signature',
    sign: hmac('base64'),
    setup: webhookSecret,
    ...whenSet,
  },
  ...['x-docusign-signature-1', 'x-docusign-signature-2'].map((header) => ({
    name: 'docusignWebhookRouting',
    header,
    sign: hmac('base64'),
    setup: webhookSecret,
    ...whenSet,
  })),
  {
    name: 'frontWebhookRouting',
    header: 'x-front-signature',
    sign: (raw) => createHmac('sha256', SECRET).update(`${NOW}:${raw}`).digest('base64'),
    setup: webhookSecret,
    sent: { headers: { 'x-front-request-timestamp': String(NOW) }, body: { type: 'message' } },
    ...whenSet,
  },
  ...['', 'sha256='].map((prefix) => ({
    name: 'firefliesWebhookRouting',
    header: 'x-hub-signature',
    sign: hmac('hex', prefix),
    setup: webhookSecret,
    ...whenSet,
  })),
];

const DEFAULT_SENT: SentWebhook = { body: { type: 'a', id: 1 } };

describe.each(CASES)('$name with $header', ({ name, header, sign: signBody, setup, sent = DEFAULT_SENT, ...how }) => {
  const right = signBody(rawBodyOf(sent));
  const send = (signature: string | undefined, change: RoutingSetup = {}, body: SentWebhook = sent) => {
    const headers = { ...body.headers, ...(signature === undefined ? {} : { [header]: signature }) };
    return route(name, { ...body, headers }, { ...setup, ...change });
  };
  const expected = { taken: { kind: 'handled' }, refused: INVALID };

  it('takes a webhook that is signed right', async () => {
    expect(await send(right)).toMatchObject({ kind: 'handled', forward: sent.body });
  });

  it('refuses a wrong signature of the same length', async () => {
    const at = right.length - 10;
    const wrong = right.slice(0, at) + (right[at] === 'A' ? 'B' : 'A') + right.slice(at + 1);

    expect(await send(wrong)).toEqual(INVALID);
  });

  it.each([
    ['longer', `${right}0`],
    ['shorter', right.slice(0, -1)],
    ['empty but for a prefix', /^(sha\d+=|v\d[=,])?/.exec(right)?.[0] || 'x'],
  ])('refuses a signature that is %s', async (_how, signature) => {
    expect(await send(signature)).toEqual(INVALID);
  });

  it('refuses a webhook without a signature (design.md 7.32)', async () => {
    expect(await send(undefined)).toEqual(MISSING);
    expect(await send('')).toEqual(MISSING);
  });

  it('treats a webhook as the provider requires where no secret is configured', async () => {
    const bare: RoutingSetup = { app: {}, connections: [{ connectionId: 'c-1', metadata: {} }] };
    const documents = { [KEY_URL]: { json: {}, headers: {} } };

    expect(await send(right, { ...bare, documents })).toMatchObject(expected[how.withoutSecret]);
    expect(await send(right, { ...bare, documents, app: { clientSecret: '', webhookSecret: '' } })).toMatchObject(
      expected[how.withoutSecret],
    );
  });

  it('looks at no signature when the user repeats a webhook', async () => {
    expect(await send(undefined, { skipsSignature: true })).toMatchObject({ kind: 'handled' });
    expect(await send('wrong', { skipsSignature: true })).toMatchObject({ kind: 'handled' });
  });
});

/** Cases in which the body is signed, and the header is not the secret itself. */
const OF_BODY = CASES.filter(({ sign: signBody }) => signBody('a') !== signBody('b'));

describe.each(OF_BODY)('$name with $header', ({ name, header, sign: signBody, setup, sent = DEFAULT_SENT }) => {
  it('refuses the signature of another body', async () => {
    const headers = { ...sent.headers, [header]: signBody(`${rawBodyOf(sent)} `) };

    expect(await route(name, { ...sent, headers }, setup)).toEqual(INVALID);
  });

  it('signs the bytes that came, however their JSON is written', async () => {
    const rawBody = JSON.stringify(sent.body, null, 2);
    const headers = { ...sent.headers, [header]: signBody(rawBody) };

    expect(await route(name, { ...sent, rawBody, headers }, setup)).toMatchObject({ kind: 'handled' });
  });
});

const TIMED: Array<[string, number, (time: string) => SentWebhook, RoutingSetup]> = [
  ['slackWebhookRouting', 300, (time) => versionedAt('x-slack', 'signature', time), webhookSecret],
  ['zoomWebhookRouting', 300, (time) => versionedAt('x-zm', 'signature', time), webhookSecret],
  ['calendlyWebhookRouting', 180, (time) => timestampedAt('calendly-webhook-signature', time), webhookSecret],
  ['stripeWebhookRouting', 300, (time) => timestampedAt('stripe-signature', time), webhookSecret],
  ['gitlabWebhookRouting', 300, standardAt, connectionSecret(WHSEC)],
  ['fathomWebhookRouting', 300, standardAt, { app: { webhookSecret: WHSEC } }],
  ['folkWebhookRouting', 300, standardAt, { app: { webhookSecret: WHSEC } }],
];

describe.each(TIMED)('%s', (name, toleranceSeconds, sentAt, setup) => {
  const at = (seconds: number) => route(name, sentAt(String(NOW / 1000 + seconds)), setup);

  it(`takes webhooks of the last ${toleranceSeconds} seconds`, async () => {
    expect(await at(-toleranceSeconds)).toMatchObject({ kind: 'handled' });
    expect(await at(toleranceSeconds)).toMatchObject({ kind: 'handled' });
  });

  it('refuses older ones, those of the future and those without a time', async () => {
    expect(await at(-toleranceSeconds - 1)).toEqual(INVALID);
    expect(await at(toleranceSeconds + 1)).toEqual(INVALID);
    expect(await route(name, sentAt(''), setup)).toEqual(INVALID);
    expect(await route(name, sentAt('soon'), setup)).toEqual(INVALID);
  });
});

describe('gitlabWebhookRouting, sent with a signature and a token,', () => {
  const send = (secret: string, sent: SentWebhook = connectionQuery) => {
    const { headers } = standardSent('webhook');
    const signature = standard(WHSEC)(rawBodyOf(connectionQuery));
    const all = { ...headers, 'webhook-signature': signature, 'x-gitlab-token': SECRET };
    return route('gitlabWebhookRouting', { ...sent, headers: all }, connectionSecret(secret));
  };

  it('is content with the one that the connection knows', async () => {
    expect(await send(WHSEC)).toMatchObject({ kind: 'handled' });
    expect(await send(SECRET)).toMatchObject({ kind: 'handled' });
  });

  it('refuses when it knows neither', async () => {
    expect(await send('other')).toEqual(INVALID);
    expect(await send(WHSEC, { ...connectionQuery, body: { type: 'forged' } })).toEqual(INVALID);
  });
});

it('frontWebhookRouting refuses an old webhook', async () => {
  const time = String(NOW - 300_001);
  const signature = createHmac('sha256', SECRET).update(`${time}:{}`).digest('base64');
  const headers = { 'x-front-request-timestamp': time, 'x-front-signature': signature };

  expect(await route('frontWebhookRouting', { headers }, webhookSecret)).toEqual(INVALID);
});

it('linearWebhookRouting refuses an old webhook', async () => {
  const send = (webhookTimestamp: number) => {
    const body = { type: 'Issue', organizationId: 'o-1', webhookTimestamp };
    const signature = createHmac('sha256', SECRET).update(JSON.stringify(body)).digest('hex');
    return route('linearWebhookRouting', { body, headers: { 'linear-signature': signature } }, webhookSecret);
  };

  expect(await send(NOW - 59_000)).toMatchObject({ kind: 'handled' });
  expect(await send(NOW - 61_000)).toEqual(INVALID);
  expect(await send(NOW / 1000)).toEqual(INVALID);
});

function versionedAt(start: string, name: string, time: string): SentWebhook {
  const signature = createHmac('sha256', SECRET).update(`v0:${time}:{}`).digest('hex');
  return { headers: { [`${start}-${name}`]: `v0=${signature}`, [`${start}-request-timestamp`]: time } };
}

function timestampedAt(header: string, time: string): SentWebhook {
  const signature = createHmac('sha256', SECRET).update(`${time}.{}`).digest('hex');
  return { headers: { [header]: `t=${time},v1=${signature}` } };
}

function standardAt(time: string): SentWebhook {
  const key = Buffer.from(WHSEC.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`msg_1.${time}.{}`).digest('base64');
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` };
  return { headers, query: { nangoConnectionId: 'c-1' } };
}
