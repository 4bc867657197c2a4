import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { ADDRESSES, NOW, NOW_SECONDS, type RoutingSetup, route } from '../../../test/support/routing-fixture.ts';
import { type BuiltinCatalog, buildCatalogFrom } from '../../integrations/catalog/builtin-catalog.ts';
import { STEP_NAMES } from '../../lifecycle/provider-steps/provider-steps.ts';
import { readWebhook } from '../incoming-request.ts';
import { CHECKED_ADDRESS_ROUTINGS } from './checked-address-routings.ts';
import { SIGNED_ROUTINGS } from './provider-signatures.ts';
import type { CheckedSignature } from './webhook-routing.ts';
import { WEBHOOK_ROUTINGS } from './webhook-routings.ts';

/**
 * How each provider of the catalogue checks an address and signs, written from its own documentation and not from the
 * routings. An example that the documentation contains stands under `EXAMPLES`.
 */

const FOLDER = fileURLToPath(new URL('../../integrations/catalog/providers', import.meta.url));
const SECRET = 'secret-1';
const URL_CALLED = ADDRESSES[0] ?? '';
const JSON_BODY = '{"type":"a", "id":738529527931269425}';
const WHSEC = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;

const webhookSecret = { app: { webhookSecret: SECRET } };
const clientSecret = { app: { clientSecret: SECRET } };

type Hash = 'sha1' | 'sha256' | 'sha512';
const hex = (text: string, key: string | Buffer = SECRET, hash: Hash = 'sha256') =>
  createHmac(hash, key).update(text).digest('hex');
const base64 = (text: string, key: string | Buffer = SECRET, hash: Hash = 'sha256') =>
  createHmac(hash, key).update(text).digest('base64');

interface Sent {
  headers?: Record<string, string>;
  query?: Record<string, string>;
  body?: string;
}

interface Signed {
  providers: string[];
  setup: RoutingSetup;
  /** The signed webhook; `at` is the time of the signature in milliseconds. */
  send: (body: string, at: number) => Sent | Promise<Sent>;
  body?: string;
  contentType?: string;
  /** How old a signature may be, in seconds. Absent: the provider documents no limit. */
  seconds?: number;
  /** False where the provider proves only who it is. */
  coversBody?: false;
}

const inHeader =
  (name: string, signBody: (body: string) => string): Signed['send'] =>
  (body) => ({ headers: { [name]: signBody(body) } });

const standard =
  (name: string, key: string | Buffer): Signed['send'] =>
  (body, at) => {
    const time = String(Math.floor(at / 1000));
    const signature = `v1,${base64(`msg_1.${time}.${body}`, key)}`;
    return { headers: { [`${name}-id`]: 'msg_1', [`${name}-timestamp`]: time, [`${name}-signature`]: signature } };
  };
const whsec: RoutingSetup = { app: { webhookSecret: WHSEC } };
const WHSEC_KEY = Buffer.from('0123456789abcdef0123456789abcdef');

const inOneHeader =
  (name: string, t = 't', v = 'v1', separator = ',', joint = '.'): Signed['send'] =>
  (body, at) => {
    const time = String(Math.floor(at / 1000));
    return { headers: { [name]: `${t}=${time}${separator}${v}=${hex(`${time}${joint}${body}`)}` } };
  };

const authorization =
  (value: string): Signed['send'] =>
  () => ({ headers: { authorization: value } });
const basic = `Basic ${Buffer.from(SECRET).toString('base64')}`;

const jwt = (payload: Record<string, unknown>, key: string = SECRET) =>
  new SignJWT(payload).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(Buffer.from(key));

const ed25519 = generateKeyPairSync('ed25519');
const ecdsa = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const CERTIFICATE = 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-1d93a270';

const FORM = 'application/x-www-form-urlencoded';

const SIGNED: Signed[] = [
  // Of the body alone.
  { providers: ['dropbox'], setup: clientSecret, send: inHeader('x-dropbox-signature', (b) => hex(b)) },
  {
    providers: ['facebook', 'instagram', 'threads'],
    setup: { app: { clientSecret: SECRET, webhookSecret: 'verify-token' } },
    send: inHeader('x-hub-signature-256', (b) => `sha256=${hex(b)}`),
  },
  {
    providers: ['fitbit'],
    setup: clientSecret,
    send: inHeader('x-fitbit-signature', (b) => base64(b, `${SECRET}&`, 'sha1')),
  },
  { providers: ['linkedin'], setup: clientSecret, send: inHeader('x-li-signature', (b) => hex(`hmacsha256=${b}`)) },
  { providers: ['smartsheet'], setup: webhookSecret, send: inHeader('smartsheet-hmac-sha256', (b) => hex(b)) },
  {
    providers: ['toggl'],
    setup: webhookSecret,
    send: inHeader('x-webhook-signature-256', (b) => `sha256=${hex(b)}`),
  },
  {
    providers: ['twitter-v2'],
    setup: webhookSecret,
    send: inHeader('x-twitter-webhooks-signature', (b) => `sha256=${base64(b)}`),
  },
  {
    providers: ['airtable', 'airtable-pat'],
    setup: { app: { webhookSecret: Buffer.from(SECRET).toString('base64') } },
    send: inHeader('x-airtable-content-mac', (b) => `hmac-sha256=${hex(b)}`),
  },
  { providers: ['acuity-scheduling'], setup: webhookSecret, send: inHeader('x-acuity-signature', (b) => base64(b)) },
  { providers: ['ashby'], setup: webhookSecret, send: inHeader('ashby-signature', (b) => `sha256=${hex(b)}`) },
  { providers: ['bill'], setup: webhookSecret, send: inHeader('x-bill-sha-signature', (b) => base64(b)) },
  {
    providers: ['bitbucket', 'confluence', 'jira', 'jira-basic'],
    setup: webhookSecret,
    send: inHeader('x-hub-signature', (b) => `sha256=${hex(b)}`),
  },
  { providers: ['clickup'], setup: webhookSecret, send: inHeader('x-signature', (b) => hex(b)) },
  {
    providers: ['discourse'],
    setup: webhookSecret,
    send: inHeader('x-discourse-event-signature', (b) => `sha256=${hex(b)}`),
  },
  {
    providers: ['github', 'github-pat'],
    setup: webhookSecret,
    send: inHeader('x-hub-signature-256', (b) => `sha256=${hex(b)}`),
  },
  { providers: ['grafana'], setup: webhookSecret, send: inHeader('x-grafana-alerting-signature', (b) => hex(b)) },
  { providers: ['greenhouse-basic'], setup: webhookSecret, send: inHeader('signature', (b) => `sha256 ${hex(b)}`) },
  { providers: ['gusto'], setup: webhookSecret, send: inHeader('x-gusto-signature', (b) => hex(b)) },
  {
    providers: ['hibob-service-user'],
    setup: webhookSecret,
    send: inHeader('bob-signature', (b) => base64(b, SECRET, 'sha512')),
  },
  {
    providers: ['pandadoc'],
    setup: webhookSecret,
    send: (b) => ({ query: { signature: hex(b) } }),
  },
  { providers: ['ramp'], setup: webhookSecret, send: inHeader('x-ramp-signature', (b) => hex(b)) },
  {
    providers: ['recharge'],
    setup: webhookSecret,
    send: inHeader('x-recharge-hmac-sha256', (b) => createHash('sha256').update(`${SECRET}${b}`).digest('hex')),
  },
  { providers: ['segment'], setup: webhookSecret, send: inHeader('x-signature', (b) => hex(b, SECRET, 'sha1')) },
  { providers: ['sentry'], setup: webhookSecret, send: inHeader('sentry-hook-signature', (b) => hex(b)) },
  { providers: ['shortcut'], setup: webhookSecret, send: inHeader('payload-signature', (b) => hex(b)) },
  { providers: ['tally'], setup: webhookSecret, send: inHeader('tally-signature', (b) => base64(b)) },
  { providers: ['todoist'], setup: clientSecret, send: inHeader('x-todoist-hmac-sha256', (b) => base64(b)) },
  { providers: ['typeform'], setup: webhookSecret, send: inHeader('typeform-signature', (b) => `sha256=${base64(b)}`) },
  { providers: ['vercel'], setup: webhookSecret, send: inHeader('x-vercel-signature', (b) => hex(b, SECRET, 'sha1')) },
  { providers: ['woocommerce'], setup: webhookSecret, send: inHeader('x-wc-webhook-signature', (b) => base64(b)) },
  { providers: ['workable'], setup: webhookSecret, send: inHeader('x-workable-signature', (b) => hex(b)) },
  { providers: ['zoho-mail'], setup: webhookSecret, send: inHeader('x-hook-signature', (b) => base64(b)) },

  // Of time and body.
  {
    providers: ['bamboohr-basic'],
    setup: webhookSecret,
    send: (b, at) => {
      const time = String(at / 1000);
      return { headers: { 'x-bamboohr-timestamp': time, 'x-bamboohr-signature': hex(`${b}${time}`) } };
    },
  },
  {
    providers: ['box'],
    setup: webhookSecret,
    seconds: 600,
    send: (b, at) => {
      const time = new Date(at).toISOString();
      return {
        headers: {
          'box-delivery-timestamp': time,
          'box-signature-primary': base64(`${b}${time}`),
          'box-signature-secondary': base64(`${b}${time}`, 'secret-2'),
        },
      };
    },
  },
  {
    providers: ['close'],
    setup: { app: { webhookSecret: Buffer.from(SECRET).toString('hex') } },
    seconds: 300,
    send: (b, at) => {
      const time = String(at / 1000);
      return { headers: { 'close-sig-timestamp': time, 'close-sig-hash': hex(`${time}${b}`) } };
    },
  },
  {
    providers: ['contentful'],
    setup: webhookSecret,
    seconds: 30,
    send: (b, at) => {
      const headers = {
        'x-contentful-timestamp': String(at),
        'x-contentful-signed-headers': 'x-contentful-signed-headers,x-contentful-timestamp,x-contentful-topic',
        'x-contentful-topic': 'ContentManagement.Entry.publish',
      };
      const names = headers['x-contentful-signed-headers'];
      const signedHeaders = `x-contentful-signed-headers:${names};x-contentful-timestamp:${at};x-contentful-topic:ContentManagement.Entry.publish`;
      const text = ['POST', new URL(URL_CALLED).pathname, signedHeaders, b].join('\n');
      return { headers: { ...headers, 'x-contentful-signature': hex(text) } };
    },
  },
  {
    providers: ['ghost-admin'],
    setup: webhookSecret,
    seconds: 300,
    send: (b, at) => ({ headers: { 'x-ghost-signature': `sha256=${hex(`${b}${at}`)}, t=${at}` } }),
  },
  {
    providers: ['hubspot'],
    setup: clientSecret,
    seconds: 300,
    send: (b, at) => ({
      headers: {
        'x-hubspot-request-timestamp': String(at),
        'x-hubspot-signature-v3': base64(`POST${URL_CALLED}${b}${at}`),
      },
    }),
  },
  {
    providers: ['klaviyo'],
    setup: webhookSecret,
    send: (b, at) => {
      const time = new Date(at).toUTCString();
      return { headers: { 'klaviyo-timestamp': time, 'klaviyo-signature': hex(`${b}${time}`) } };
    },
  },
  {
    providers: ['linear'],
    setup: webhookSecret,
    seconds: 60,
    body: `{"type":"Issue","webhookTimestamp":AT}`,
    send: (b, at) => {
      const body = b.replace('AT', String(at));
      return { body, headers: { 'linear-signature': hex(body) } };
    },
  },
  {
    providers: ['oura'],
    setup: clientSecret,
    send: (b, at) => {
      const time = String(at / 1000);
      return { headers: { 'x-oura-timestamp': time, 'x-oura-signature': hex(`${time}${b}`).toUpperCase() } };
    },
  },
  {
    providers: ['twitch'],
    setup: webhookSecret,
    seconds: 600,
    send: (b, at) => {
      const [id, time] = ['e76c6bd4', new Date(at).toISOString()];
      return {
        headers: {
          'twitch-eventsub-message-id': id,
          'twitch-eventsub-message-timestamp': time,
          'twitch-eventsub-message-signature': `sha256=${hex(`${id}${time}${b}`)}`,
        },
      };
    },
  },
  {
    providers: ['webflow'],
    setup: webhookSecret,
    seconds: 300,
    send: (b, at) => ({
      headers: { 'x-webflow-timestamp': String(at), 'x-webflow-signature': hex(`${at}:${b}`) },
    }),
  },
  {
    providers: ['whoop'],
    setup: clientSecret,
    seconds: 300,
    send: (b, at) => ({
      headers: { 'x-whoop-signature-timestamp': String(at), 'x-whoop-signature': base64(`${at}${b}`) },
    }),
  },
  {
    providers: ['zendesk', 'zendesk-api-key'],
    setup: webhookSecret,
    send: (b, at) => {
      const time = new Date(at).toISOString();
      return {
        headers: {
          'x-zendesk-webhook-signature-timestamp': time,
          'x-zendesk-webhook-signature': base64(`${time}${b}`),
        },
      };
    },
  },
  {
    providers: ['zoom', 'zoom-cc'],
    setup: webhookSecret,
    seconds: 300,
    send: (b, at) => ({
      headers: {
        'x-zm-request-timestamp': String(at / 1000),
        'x-zm-signature': `v0=${hex(`v0:${at / 1000}:${b}`)}`,
      },
    }),
  },
  {
    providers: ['elevenlabs'],
    setup: webhookSecret,
    seconds: 1800,
    send: inOneHeader('elevenlabs-signature', 't', 'v0'),
  },
  { providers: ['exa'], setup: webhookSecret, seconds: 300, send: inOneHeader('exa-signature') },
  { providers: ['mercury'], setup: webhookSecret, seconds: 300, send: inOneHeader('mercury-signature') },
  {
    providers: ['paddle'],
    setup: webhookSecret,
    seconds: 300,
    send: inOneHeader('paddle-signature', 'ts', 'h1', ';', ':'),
  },
  {
    providers: ['tiktok-personal'],
    setup: clientSecret,
    seconds: 300,
    send: inOneHeader('tiktok-signature', 't', 's'),
  },

  // The scheme of standardwebhooks.com and Svix.
  {
    providers: ['etsy', 'loops-so', 'openai', 'replicate'],
    setup: whsec,
    seconds: 300,
    send: standard('webhook', WHSEC_KEY),
  },
  { providers: ['beehiiv', 'resend'], setup: whsec, seconds: 300, send: standard('svix', WHSEC_KEY) },
  { providers: ['bigcommerce'], setup: clientSecret, seconds: 300, send: standard('webhook', SECRET) },

  // Of the address too.
  {
    providers: ['squareup'],
    setup: webhookSecret,
    send: (b) => ({ headers: { 'x-square-hmacsha256-signature': base64(`${URL_CALLED}${b}`) } }),
  },
  {
    providers: ['trello'],
    setup: clientSecret,
    send: (b) => ({ headers: { 'x-trello-webhook': base64(`${b}${URL_CALLED}`, SECRET, 'sha1') } }),
  },
  {
    providers: ['mandrill'],
    setup: webhookSecret,
    contentType: FORM,
    body: 'mandrill_events=%5B%5D&a=1',
    send: () => ({ headers: { 'x-mandrill-signature': base64(`${URL_CALLED}a1mandrill_events[]`, SECRET, 'sha1') } }),
  },
  {
    providers: ['twilio'],
    setup: webhookSecret,
    contentType: FORM,
    body: 'To=%2B18005551212&From=%2B14158675310',
    send: () => ({
      headers: { 'x-twilio-signature': base64(`${URL_CALLED}From+14158675310To+18005551212`, SECRET, 'sha1') },
    }),
  },
  {
    providers: ['twilio'],
    setup: webhookSecret,
    send: (b) => {
      const bodySHA256 = createHash('sha256').update(b).digest('hex');
      const address = `${URL_CALLED}?bodySHA256=${bodySHA256}`;
      return { query: { bodySHA256 }, headers: { 'x-twilio-signature': base64(address, SECRET, 'sha1') } };
    },
  },

  // In the body, or over a part of it.
  {
    providers: ['dropbox-sign'],
    setup: webhookSecret,
    coversBody: false,
    contentType: FORM,
    body: `json=${encodeURIComponent(
      JSON.stringify({
        event: {
          event_time: '1348177752',
          event_type: 'signature_request_sent',
          event_hash: hex('1348177752signature_request_sent'),
        },
      }),
    )}`,
    send: () => ({}),
  },
  {
    providers: ['exact-online'],
    setup: webhookSecret,
    body: `{"Content":{"Topic":"Accounts","Key":"k", "n":1.0},"HashCode":"${hex('{"Topic":"Accounts","Key":"k", "n":1.0}').toUpperCase()}"}`,
    send: () => ({}),
  },
  {
    providers: ['freshbooks'],
    setup: webhookSecret,
    contentType: FORM,
    body: 'name=invoice.create&object_id=1234567',
    send: () => ({
      headers: { 'x-freshbooks-hmac-sha256': base64('{"name": "invoice.create", "object_id": "1234567"}') },
    }),
  },
  {
    providers: ['lever'],
    setup: webhookSecret,
    coversBody: false,
    body: `{"event":"candidateHired","triggeredAt":1419277384,"token":"t-1","signature":"${hex('t-11419277384')}"}`,
    send: () => ({}),
  },
  {
    providers: ['mailgun'],
    setup: webhookSecret,
    coversBody: false,
    body: `{"signature":{"timestamp":"1529006854","token":"a8ce","signature":"${hex('1529006854a8ce')}"},"event-data":{}}`,
    send: () => ({}),
  },
  { providers: ['figma'], setup: webhookSecret, coversBody: false, body: `{"passcode":"${SECRET}"}`, send: () => ({}) },
  {
    providers: ['bitrix24'],
    setup: webhookSecret,
    coversBody: false,
    contentType: FORM,
    body: `event=ONCRMDEALADD&auth[application_token]=${SECRET}`,
    send: () => ({}),
  },

  // The secret itself, or a token.
  { providers: ['okta', 'auth0-cc'], setup: webhookSecret, coversBody: false, send: authorization(SECRET) },
  { providers: ['brevo-api-key'], setup: webhookSecret, coversBody: false, send: authorization(`Bearer ${SECRET}`) },
  {
    providers: ['azure-devops', 'chargebee', 'pipedrive'],
    setup: webhookSecret,
    coversBody: false,
    send: authorization(basic),
  },
  {
    providers: ['cloudflare'],
    setup: webhookSecret,
    coversBody: false,
    send: inHeader('cf-webhook-auth', () => SECRET),
  },
  {
    providers: ['telegram'],
    setup: webhookSecret,
    coversBody: false,
    send: inHeader('x-telegram-bot-api-secret-token', () => SECRET),
  },
  {
    providers: ['ring-central'],
    setup: webhookSecret,
    coversBody: false,
    send: inHeader('verification-token', () => SECRET),
  },
  {
    providers: ['google', 'google-calendar', 'google-drive', 'google-sheet'],
    setup: webhookSecret,
    coversBody: false,
    body: '',
    send: inHeader('x-goog-channel-token', () => SECRET),
  },
  {
    providers: ['monday'],
    setup: webhookSecret,
    coversBody: false,
    send: async () => ({ headers: { authorization: await jwt({ exp: Number(NOW_SECONDS) + 60 }) } }),
  },
  {
    providers: ['dialpad'],
    setup: webhookSecret,
    contentType: 'application/jwt',
    send: async () => ({ body: await jwt({ state: 'hangup' }) }),
  },
  {
    providers: ['gong'],
    setup: { app: { webhookSecret: pem } },
    send: async (b) => {
      const hash = createHash('sha256').update(b).digest('hex');
      const token = await new SignJWT({ webhook_url: URL_CALLED, body_sha256: hash })
        .setProtectedHeader({ alg: 'RS256' })
        .setExpirationTime(Number(NOW_SECONDS) + 60)
        .sign(rsa.privateKey);
      return { headers: { authorization: `Bearer ${token}` } };
    },
  },

  // With a key pair.
  {
    providers: ['discord'],
    setup: {
      app: { webhookSecret: ed25519.publicKey.export({ type: 'spki', format: 'der' }).subarray(12).toString('hex') },
    },
    seconds: 300,
    send: (b, at) => {
      const time = String(at / 1000);
      const signature = sign(null, Buffer.from(`${time}${b}`), ed25519.privateKey).toString('hex');
      return { headers: { 'x-signature-timestamp': time, 'x-signature-ed25519': signature } };
    },
  },
  {
    providers: ['sendgrid'],
    setup: { app: { webhookSecret: ecdsa.publicKey.export({ type: 'spki', format: 'der' }).toString('base64') } },
    send: (b, at) => {
      const time = String(at / 1000);
      const signature = sign('SHA256', Buffer.from(`${time}${b}`), ecdsa.privateKey).toString('base64');
      return {
        headers: {
          'x-twilio-email-event-webhook-timestamp': time,
          'x-twilio-email-event-webhook-signature': signature,
        },
      };
    },
  },
  {
    providers: ['paypal'],
    setup: {
      app: { webhookSecret: 'WH-1' },
      documents: { [CERTIFICATE]: { json: undefined, text: pem, headers: {} } },
    },
    send: (b, at) => {
      const [id, time] = ['69cd13f0', new Date(at).toISOString()];
      const signature = sign('RSA-SHA256', Buffer.from(`${id}|${time}|WH-1|${crc32(b)}`), rsa.privateKey);
      return {
        headers: {
          'paypal-transmission-id': id,
          'paypal-transmission-time': time,
          'paypal-cert-url': CERTIFICATE,
          'paypal-transmission-sig': signature.toString('base64'),
        },
      };
    },
  },
];

let catalog: BuiltinCatalog;
beforeAll(async () => {
  catalog = await buildCatalogFrom(FOLDER, new Set([...STEP_NAMES, ...WEBHOOK_ROUTINGS.keys()]));
});

function routingOf(provider: string): string {
  const name = catalog.get(provider)?.webhook_routing_script;
  if (name === undefined) throw new Error(`${provider} has no routing.`);
  return name;
}

/** What the routing does with a request of the wire, and what it reports about the signature. */
async function receive(
  provider: string,
  request: Sent & { method?: string; contentType?: string },
  setup: RoutingSetup,
): Promise<{ kind: string; status?: number; text?: string; signature?: CheckedSignature }> {
  const { method = 'POST', body = '', contentType = 'application/json', query = {}, headers = {} } = request;
  const read = readWebhook({
    method,
    path: '/',
    query: new URLSearchParams(query).toString(),
    headers: { ...(body === '' ? {} : { 'content-type': contentType }), ...headers },
    rawBody: Buffer.from(body),
  });
  let signature: CheckedSignature | undefined;
  const onSignature = (result: CheckedSignature): void => {
    signature = result;
  };
  const sent = { ...read, query, headers: { ...read.headers } };
  const result = await route(routingOf(provider), sent, { ...setup, onSignature });
  return { ...result, ...(signature === undefined ? {} : { signature }) };
}

const ROWS = SIGNED.flatMap((row) => row.providers.map((provider) => ({ provider, ...row })));

describe.each(ROWS)('a webhook of $provider', ({ provider, setup, send, seconds, coversBody, contentType, ...row }) => {
  const body = row.body ?? JSON_BODY;
  const deliver = async (at = NOW, change: (sent: Sent) => Sent = (sent) => sent, use = setup) => {
    const sent = { body, ...(await send(body, at)) };
    return receive(provider, { ...change(sent), ...(contentType === undefined ? {} : { contentType }) }, use);
  };

  it('is valid as its documentation signs it', async () => {
    expect(await deliver()).toMatchObject({ kind: 'handled', signature: 'valid' });
  });

  it('is refused with another secret', async () => {
    const other = { ...setup, app: { clientSecret: 'other', webhookSecret: 'other' } };

    expect(await deliver(NOW, undefined, other)).toMatchObject({ kind: 'refused', signature: 'invalid' });
  });

  it.runIf(coversBody !== false)('is refused with another body', async () => {
    const change = (text = '') => text.replace(/[0-9a-z](?=\W*$)/i, (last) => (last === '7' ? '8' : '7'));
    const changed = await deliver(NOW, (sent) => ({ ...sent, body: change(sent.body) }));

    expect(changed).toMatchObject({ kind: 'refused', status: 401 });
  });

  it.runIf(seconds !== undefined)('is refused when it is old', async () => {
    const limit = (seconds ?? 0) * 1000;

    expect(await deliver(NOW - limit + 1000)).toMatchObject({ signature: 'valid' });
    expect(await deliver(NOW - limit - 1000)).toMatchObject({ kind: 'refused', signature: 'invalid' });
    expect(await deliver(NOW + limit + 1000)).toMatchObject({ kind: 'refused', signature: 'invalid' });
  });

  it.runIf(row.body === undefined)('is refused without a signature', async () => {
    expect(
      await deliver(NOW, ({ body: sentBody }) => ({ body: provider === 'dialpad' ? '{}' : (sentBody ?? '') })),
    ).toMatchObject({
      kind: 'refused',
      status: 401,
    });
  });
});

interface Check {
  provider: string;
  setup?: RoutingSetup;
  request: Sent & { method?: string; contentType?: string };
  answer: { status?: number; contentType?: string; text?: string; headers?: Record<string, string> };
}

const get = (query: Record<string, string>): Check['request'] => ({ method: 'GET', query });
const post = (value: unknown): Check['request'] => ({ body: JSON.stringify(value) });
const text = (value: string) => ({ contentType: 'text/plain', text: value });
const json = (value: unknown) => ({ contentType: 'application/json', text: JSON.stringify(value) });

const TOKEN = 'Validation: Testing client application reachability for subscription Request-Id: 1 <b>&';
const CHECKS: Check[] = [
  ...[
    ...['microsoft', 'outlook', 'one-drive', 'one-drive-personal', 'sharepoint-online', 'one-note', 'microsoft-teams'],
    ...[
      'microsoft-excel',
      'microsoft-word',
      'microsoft-powerpoint',
      'microsoft-oauth2-cc',
      'microsoft-excel-oauth2-cc',
    ],
  ].map((provider) => ({
    provider,
    setup: webhookSecret,
    request: { query: { validationToken: TOKEN } },
    answer: text(TOKEN),
  })),
  { provider: 'sharepoint-online', request: { query: { validationtoken: 'a-b' } }, answer: text('a-b') },
  {
    provider: 'monday',
    request: post({ challenge: '3eZbrw1aBm2rZgRNFdxV' }),
    answer: json({ challenge: '3eZbrw1aBm2rZgRNFdxV' }),
  },
  { provider: 'miro', request: post({ challenge: 'c-1' }), answer: json({ challenge: 'c-1' }) },
  { provider: 'slack', request: post({ type: 'url_verification', challenge: 'c-1' }), answer: text('c-1') },
  { provider: 'dropbox', request: get({ challenge: 'c-1' }), answer: text('c-1') },
  ...['facebook', 'instagram', 'threads', 'whatsapp-business'].map((provider) => ({
    provider,
    setup: { app: { webhookSecret: 'meatyhamhock' } },
    request: get({ 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': 'meatyhamhock' }),
    answer: text('1158201444'),
  })),
  {
    provider: 'strava',
    setup: { app: { webhookSecret: 'STRAVA' } },
    request: get({ 'hub.mode': 'subscribe', 'hub.challenge': '15f7d1a91c1f40f8', 'hub.verify_token': 'STRAVA' }),
    answer: json({ 'hub.challenge': '15f7d1a91c1f40f8' }),
  },
  {
    provider: 'fitbit',
    setup: { app: { webhookSecret: 'correctVerificationCode' } },
    request: get({ verify: 'correctVerificationCode' }),
    answer: { status: 204 },
  },
  {
    provider: 'oura',
    setup: { app: { webhookSecret: '123' } },
    request: get({ verification_token: '123', challenge: 'Random' }),
    answer: json({ challenge: 'Random' }),
  },
  {
    provider: 'linkedin',
    setup: clientSecret,
    request: get({ challengeCode: '890e4665-4dfe-4ab1-b689-ed553bceeed0' }),
    answer: json({
      challengeCode: '890e4665-4dfe-4ab1-b689-ed553bceeed0',
      challengeResponse: hex('890e4665-4dfe-4ab1-b689-ed553bceeed0'),
    }),
  },
  {
    provider: 'twitter-v2',
    setup: webhookSecret,
    request: get({ crc_token: 'MTk0NTYzMzI=' }),
    answer: json({ response_token: `sha256=${base64('MTk0NTYzMzI=')}` }),
  },
  {
    provider: 'okta',
    setup: webhookSecret,
    request: { method: 'GET', headers: { 'x-okta-verification-challenge': 'my verification challenge' } },
    answer: json({ verification: 'my verification challenge' }),
  },
  ...['zoom', 'zoom-cc'].map((provider) => ({
    provider,
    setup: webhookSecret,
    request: post({ event: 'endpoint.url_validation', payload: { plainToken: 'qgg8vlvZRS6UYooatFL8Aw' } }),
    answer: json({ plainToken: 'qgg8vlvZRS6UYooatFL8Aw', encryptedToken: hex('qgg8vlvZRS6UYooatFL8Aw') }),
  })),
  {
    provider: 'smartsheet',
    request: {
      headers: { 'smartsheet-hook-challenge': 'd78dd1d3' },
      body: '{"challenge":"d78dd1d3","webhookId":5023271325787012}',
    },
    answer: { ...json({ smartsheetHookResponse: 'd78dd1d3' }), headers: { 'smartsheet-hook-response': 'd78dd1d3' } },
  },
  {
    provider: 'ring-central',
    request: { headers: { 'validation-token': 'v-1' } },
    answer: { ...text(''), headers: { 'validation-token': 'v-1' } },
  },
  {
    provider: 'asana',
    request: { headers: { 'x-hook-secret': 's-1' } },
    answer: { ...text(''), headers: { 'x-hook-secret': 's-1' } },
  },
  {
    provider: 'toggl',
    request: post({ payload: 'ping', validation_code: 'code-1' }),
    answer: json({ validation_code: 'code-1' }),
  },
  ...['trello', 'intercom', 'mandrill', 'mailchimp'].map((provider) => ({
    provider,
    setup: clientSecret,
    request: { method: 'HEAD' },
    answer: text(''),
  })),
  { provider: 'mailchimp', request: { method: 'GET' }, answer: text('') },
  { provider: 'exact-online', setup: webhookSecret, request: {}, answer: text('') },
  {
    provider: 'twitch',
    request: {
      headers: { 'twitch-eventsub-message-type': 'webhook_callback_verification' },
      body: '{"challenge":"pogchamp-kappa-360noscope-vohiyo"}',
    },
    answer: text('pogchamp-kappa-360noscope-vohiyo'),
  },
  { provider: 'discord', request: post({ type: 1, token: 't' }), answer: json({ type: 1 }) },
  { provider: 'discord', request: post({ version: 1, type: 0 }), answer: { status: 204 } },
];

describe.each(CHECKS)('the check of an address by $provider', ({ provider, setup = {}, request, answer }) => {
  it(`is answered: ${request.method ?? 'POST'}`, async () => {
    expect(await receive(provider, request, setup)).toMatchObject({ kind: 'answered', ...answer });
  });
});

describe('the check of an address', () => {
  it.each([
    ['facebook', get({ 'hub.mode': 'subscribe', 'hub.challenge': '1', 'hub.verify_token': 'other' }), 403],
    ['strava', get({ 'hub.mode': 'subscribe', 'hub.challenge': '1', 'hub.verify_token': 'other' }), 403],
    ['oura', get({ verification_token: 'other', challenge: '1' }), 403],
    ['fitbit', get({ verify: 'incorrectVerificationCode' }), 404],
  ])('of %s with another token is refused', async (provider, request, status) => {
    expect(await receive(provider, request, webhookSecret)).toMatchObject({
      kind: 'refused',
      status,
      isAddressCheck: true,
    });
  });

  it('signs nothing that could be a webhook', async () => {
    const secrets = { app: { clientSecret: SECRET, webhookSecret: SECRET } };
    for (const [provider, request] of [
      ['twitter-v2', get({ crc_token: '{"for_user_id":"1"}' })],
      ['linkedin', get({ challengeCode: 'hmacsha256={}' })],
      ['zoom', post({ event: 'endpoint.url_validation', payload: { plainToken: `v0:${NOW_SECONDS}:{}` } })],
    ] as const)
      expect(await receive(provider, request, secrets)).toMatchObject({ kind: 'refused', status: 400 });
  });

  it('says which secret is missing', async () => {
    expect(await receive('linkedin', get({ challengeCode: 'a' }), {})).toMatchObject({
      message: expect.stringMatching(/client secret/),
    });
  });

  it('of Discord and Twitch needs a signature as soon as the key is known', async () => {
    const key = { app: { webhookSecret: 'a'.repeat(64) } };

    expect(await receive('discord', post({ type: 1, token: 't' }), key)).toMatchObject({ status: 401 });
    const headers = { 'twitch-eventsub-message-type': 'webhook_callback_verification' };
    expect(await receive('twitch', { headers, body: '{"challenge":"c"}' }, webhookSecret)).toMatchObject({
      status: 401,
    });
  });

  it('answers no event', async () => {
    for (const [provider, body] of [
      ['monday', { challenge: 'x', event: { type: 'create_pulse' } }],
      ['miro', { challenge: 'x', event: { type: 'create' } }],
    ] as const)
      expect(await receive(provider, post(body), {})).toMatchObject({ kind: 'handled' });
  });
});

describe('a first webhook that contains the key', () => {
  it.each([
    ['gusto', '{"verification_token":"v","webhook_subscription_uuid":"u"}', 'application/json', {}],
    ['freshbooks', 'name=callback.verify&verifier=v', FORM, {}],
    ['ramp', '{"challenge":"c"}', 'application/json', {}],
    ['woocommerce', 'webhook_id=12', FORM, {}],
    ['zoho-mail', '{}', 'application/json', { 'x-hook-secret': 'k' }],
    ['notion', '{"verification_token":"secret_v"}', 'application/json', {}],
  ])('of %s is forwarded and runs nothing', async (provider, body, contentType, headers) => {
    expect(await receive(provider, { body, contentType, headers }, webhookSecret)).toMatchObject({
      kind: 'handled',
      events: [],
    });
  });
});

const BOX = {
  body: '{"type":"webhook_event","webhook":{"id":"1234567890"},"trigger":"FILE.UPLOADED","source":{"id":"1234567890","type":"file","name":"Test.txt"}}',
  headers: {
    'box-delivery-timestamp': '2020-01-01T00:00:00-07:00',
    'box-signature-primary': '6TfeAW3A1PASkgboxxA5yqHNKOwFyMWuEXny/FPD5hI=',
    'box-signature-secondary': 'v+1CD1Jdo3muIcbpv5lxxgPglOqMfsNHPV899xWYydo=',
  },
};
const BOX_TIME = Date.parse('2020-01-01T00:00:00-07:00');

/** Examples with results that a documentation, or the provider's own library, contains. */
const EXAMPLES: Array<[provider: string, setup: RoutingSetup, sent: Sent]> = [
  [
    'github',
    { app: { webhookSecret: "It's a Secret to Everybody" } },
    {
      body: 'Hello, World!',
      headers: {
        'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
        'content-type': 'text/plain',
      },
    },
  ],
  ['box', { app: { webhookSecret: 'SamplePrimaryKey' }, now: BOX_TIME }, BOX],
  ['box', { app: { webhookSecret: 'SampleSecondaryKey' }, now: BOX_TIME }, BOX],
  [
    'slack',
    { app: { webhookSecret: '8f742231b10e8888abcd99yyyzzz85a5' }, now: 1_531_420_618_000 },
    {
      body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
      headers: {
        'content-type': FORM,
        'x-slack-request-timestamp': '1531420618',
        'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
      },
    },
  ],
  [
    'twilio',
    { app: { webhookSecret: '12345' }, url: 'https://mycompany.com/myapp.php?foo=1&bar=2' },
    {
      body: 'CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309&To=%2B18005551212',
      headers: { 'content-type': FORM, 'x-twilio-signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' },
    },
  ],
  [
    'resend',
    { app: { webhookSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }, now: 1_614_265_330_000 },
    {
      body: '{"test": 2432232314}',
      headers: {
        'svix-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'svix-timestamp': '1614265330',
        'svix-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
    },
  ],
];

describe('the example in the documentation', () => {
  it.each(EXAMPLES)('of %s is valid', async (provider, setup, sent) => {
    expect(await receive(provider, sent, setup)).toMatchObject({ signature: 'valid' });
  });

  it('of Dropbox Sign in a form with parts is valid, and gets the answer that it wants', async () => {
    const event = { event_time: '1', event_type: 'callback_test', event_hash: hex('1callback_test') };
    const body = `--x\r\nContent-Disposition: form-data; name="json"\r\n\r\n${JSON.stringify({ event })}\r\n--x--\r\n`;
    const contentType = 'multipart/form-data; boundary=x';

    expect(await receive('dropbox-sign', { body, contentType }, webhookSecret)).toMatchObject({
      signature: 'valid',
      events: [{ types: ['callback_test'] }],
      response: 'Hello API Event Received',
    });
  });

  it('of Exact Online is only valid in the documented form', async () => {
    const content = '{"Topic":"Accounts"}';
    const right = `{"Content":${content},"HashCode":"${hex(content)}"}`;
    const wrapped = `{"a":${right},"\\u0048ashCode":"${hex(content)}","Content":{"Topic":"Forged"}}`;

    expect(await receive('exact-online', { body: right }, webhookSecret)).toMatchObject({ signature: 'valid' });
    expect(await receive('exact-online', { body: wrapped }, webhookSecret)).toMatchObject({ signature: 'invalid' });
  });
});

/**
 * Providers that send no webhooks, or whose documentation describes neither a check of the address nor a signature: they
 * get the generic routing (webhooks.md 2.5).
 */
const GENERIC: string[] = [
  ...['1password-scim', 'active-campaign', 'adp', 'agentcard', 'algolia', 'amocrm', 'amplitude', 'anrok'],
  ...['anthropic', 'apollo', 'avalara', 'aws-iam', 'basecamp', 'baserow', 'basin', 'bitdefender'],
  ...['brightcrowd', 'canva', 'clari-copilot', 'clicksend', 'coda', 'connectsecure', 'databricks-workspace'],
  ...['datadog', 'digitalocean', 'dope-security', 'dynamic-mockups', 'dynatrace', 'dynatrace-oauth'],
  ...['evaluagent', 'expensify', 'freshdesk', 'gem', 'google-gemini', 'google-maps', 'gorgias', 'grammarly'],
  ...['granola-mcp', 'gumroad', 'hackerrank-work', 'harvest', 'hubstaff', 'ingenious-build', 'instantly'],
  ...['ironclad', 'jotform', 'keeper-scim', 'kustomer', 'lastpass', 'lattice', 'luma', 'make', 'mcp-generic'],
  ...['metabase', 'microsoft-dynamics-365-finance-and-operations-cc', 'millionverifier', 'mixpanel'],
  ...['namely-pat', 'netsuite-tba', 'next-cloud-ocs', 'ninety-io', 'odoo-api-key', 'odoo-cc', 'oracle-hcm'],
  ...['paycom', 'paylocity', 'pennylane', 'perimeter81', 'perplexity', 'pinterest', 'pipelinecrm', 'posthog'],
  ...['private-api-basic', 'private-api-bearer', 'private-api-generic', 'readwise', 'recruiterflow', 'reddit'],
  ...['sage-intacct-oauth', 'sap-success-factors', 'servicenow', 'shopify-partner', 'snowflake-jwt'],
  ...['splitwise', 'spotify', 'strava-web', 'supabase', 'teamtailor', 'tiktok-accounts', 'tiktok-ads'],
  ...['timetastic', 'tripletex', 'tumblr', 'ukg-pro', 'ukg-ready', 'unanet', 'vimeo', 'wakatime'],
  ...['wildix-pbx', 'wordpress', 'workday', 'xai', 'youcanbook-me', 'youcanbook-me-public', 'zoho'],
  ...['zoho-books', 'zoho-crm', 'zoho-desk', 'zoho-people'],
];

it('every provider of the catalogue has a row, or is known to need none', () => {
  const without = [...catalog].filter(([, entry]) => !entry.webhook_routing_script).map(([provider]) => provider);

  expect(without.sort()).toEqual(GENERIC);
});

it('every routing of these tables is tested here', () => {
  const tested = new Set([...ROWS, ...CHECKS, { provider: 'strava' }].map(({ provider }) => routingOf(provider)));
  const names = Object.keys({ ...CHECKED_ADDRESS_ROUTINGS, ...SIGNED_ROUTINGS });

  expect(names.filter((name) => !tested.has(name))).toEqual([]);
});
