import { matchingNamed, secretsOfWebhook, typeAt, typeIn } from './body-routing.ts';
import { row } from './checked-address-routings.ts';
import {
  anyAppSecret,
  authorizationHeader,
  checkSignature,
  clientSecret,
  FIVE_MINUTES_MS,
  type HmacRule,
  header,
  hmacHeader,
  hmacText,
  isHs256Token,
  isPrefixedHash,
  isSameText,
  type SecretSource,
  type SignatureCheck,
  secretHeader,
  standardHeaders,
  timestampedHeader,
  webhookSecret,
} from './signature-checks.ts';
import {
  boxSignature,
  contentfulText,
  dialpadCall,
  dropboxSignEvent,
  freshbooksText,
  gongSignature,
  isGhostSignature,
  isSendgridSignature,
  paypalSignature,
  twilioSignature,
} from './unusual-signatures.ts';
import { fieldsOf, listAt, textAt, type WebhookRouting } from './webhook-routing.ts';

const HALF_AN_HOUR_MS = 30 * 60_000;

/** An HMAC with the secret of the webhook, which the metadata of the connection or the settings hold. */
const hmac = (name: string, encoding: 'hex' | 'base64', rule: Partial<HmacRule> = {}): SignatureCheck =>
  hmacHeader({ header: name, encoding, secrets: secretsOfWebhook, when: 'secret-is-set', ...rule });

const standard = (name: 'webhook' | 'svix'): SignatureCheck =>
  standardHeaders({
    names: [name, name === 'svix' ? 'webhook' : 'svix'],
    secrets: secretsOfWebhook,
    when: 'secret-is-set',
  });

type Signs = NonNullable<HmacRule['signs']>;

const timeAndBody: Signs = ({ time, body }) => [time, body];
const bodyAndTime: Signs = ({ time, body }) => [body, time];
const authorization = authorizationHeader({ secrets: secretsOfWebhook, when: 'secret-is-set' });

/** The secrets of the connections that keep the id of the webhook in their metadata, and the one in the settings. */
const airtableSecrets: SecretSource = async (context, webhook) => {
  const found = await context.match({ property: 'metadata.webhooks', value: textAt(webhook.body, 'webhook.id') });
  const own = found.flatMap(({ metadata }) => metadata['webhookSecret']).filter((one) => typeof one === 'string');
  return [...own, ...(await webhookSecret(context, webhook))];
};

export const airtableSignature = hmac('x-airtable-content-mac', 'hex', {
  prefix: 'hmac-sha256=',
  secrets: airtableSecrets,
  key: (secret) => Buffer.from(secret, 'base64'),
});

const githubSignature = hmac('x-hub-signature-256', 'hex', { prefix: 'sha256=' });

/** Providers whose webhooks can be checked, by the name in a catalogue entry (webhooks.md 2.5). */
export const SIGNED_ROUTINGS = {
  /** The key is the API key of the account's owner. */
  acuityWebhookRouting: row({ signature: hmac('x-acuity-signature', 'base64'), types: typeAt('action') }),
  ashbyWebhookRouting: row({
    signature: hmac('ashby-signature', 'hex', { prefix: 'sha256=' }),
    types: typeAt('action'),
  }),
  auth0WebhookRouting: row({ signature: authorization }),
  azureDevopsWebhookRouting: row({ signature: authorization, types: typeAt('eventType') }),
  bamboohrWebhookRouting: row({
    signature: hmac('x-bamboohr-signature', 'hex', { time: { header: 'x-bamboohr-timestamp' }, signs: bodyAndTime }),
  }),
  beehiivWebhookRouting: row({ signature: standard('svix') }),
  /** The key is the text of the client secret. */
  bigcommerceWebhookRouting: row({
    signature: standardHeaders({
      names: ['webhook'],
      secrets: clientSecret,
      when: 'secret-is-set',
      key: (secret) => Buffer.from(secret),
    }),
    types: typeAt('scope'),
  }),
  billWebhookRouting: row({ signature: hmac('x-bill-sha-signature', 'base64'), types: typeAt('metadata.eventType') }),
  bitbucketWebhookRouting: row({
    signature: hmac('x-hub-signature', 'hex', { prefix: 'sha256=' }),
    types: typeIn('x-event-key'),
  }),
  /** A form that contains the application token, which is the same for all events of an installation. */
  bitrix24WebhookRouting: row({
    signature: checkSignature({
      find: ({ body }) => textAt(body, 'auth.application_token'),
      secrets: secretsOfWebhook,
      when: 'secret-is-set',
      fits: ({ sent, secret }) => isSameText(sent, secret),
    }),
  }),
  boxWebhookRouting: row({ signature: boxSignature(), types: typeAt('trigger') }),
  brevoWebhookRouting: row({ signature: authorization }),
  chargebeeWebhookRouting: row({ signature: authorization, types: typeAt('event_type') }),
  clickupWebhookRouting: row({ signature: hmac('x-signature', 'hex') }),
  closeWebhookRouting: row({
    signature: hmac('close-sig-hash', 'hex', {
      time: { header: 'close-sig-timestamp', toleranceMs: FIVE_MINUTES_MS },
      signs: timeAndBody,
      key: (secret) => Buffer.from(secret, 'hex'),
    }),
    types: (body) => [joined(textAt(body, 'event.object_type'), textAt(body, 'event.action'))],
  }),
  cloudflareWebhookRouting: row({
    signature: secretHeader({ header: 'cf-webhook-auth', secrets: secretsOfWebhook, when: 'secret-is-set' }),
    types: typeAt('alert_type'),
  }),
  confluenceWebhookRouting: row({ signature: hmac('x-hub-signature', 'hex', { prefix: 'sha256=' }) }),
  contentfulWebhookRouting: row({
    signature: hmac('x-contentful-signature', 'hex', {
      time: { header: 'x-contentful-timestamp', unit: 'ms', toleranceMs: 30_000 },
      signs: contentfulText,
    }),
    types: typeIn('x-contentful-topic'),
  }),
  /** With a secret the whole body is a token. */
  dialpadWebhookRouting: row({
    signature: checkSignature({
      find: ({ body }) => (typeof body === 'string' ? body : undefined),
      secrets: secretsOfWebhook,
      when: 'secret-is-set',
      fits: ({ sent, secret, context }) => isHs256Token(sent.trim(), secret, context.now()),
    }),
    items: (body) => [typeof body === 'string' ? dialpadCall(body) : body],
    types: typeAt('state'),
  }),
  discourseWebhookRouting: row({
    signature: hmac('x-discourse-event-signature', 'hex', { prefix: 'sha256=' }),
    types: typeIn('x-discourse-event'),
  }),
  /** A form with JSON in the field `json`. Dropbox Sign repeats a webhook whose response has another text. */
  dropboxSignWebhookRouting: row({
    signature: checkSignature({
      find: (webhook) => textAt(dropboxSignEvent(webhook), 'event.event_hash'),
      secrets: webhookSecret,
      when: 'secret-is-set',
      fits: ({ sent, secret, webhook }) => {
        const event = dropboxSignEvent(webhook);
        const signed = [textAt(event, 'event.event_time') ?? '', textAt(event, 'event.event_type') ?? ''];
        return isSameText(sent, hmacText({ encoding: 'hex' }, secret, ...signed));
      },
    }),
    items: (_body, webhook) => [dropboxSignEvent(webhook)],
    types: typeAt('event.event_type'),
    response: 'Hello API Event Received',
  }),
  elevenlabsWebhookRouting: row({
    signature: timestampedHeader({
      header: 'elevenlabs-signature',
      signature: 'v0',
      secrets: secretsOfWebhook,
      when: 'secret-is-set',
      toleranceMs: HALF_AN_HOUR_MS,
    }),
  }),
  etsyWebhookRouting: row({ signature: standard('webhook') }),
  exaWebhookRouting: row({ signature: timestamped('exa-signature') }),
  /** The passcode that was chosen for the webhook is a field of the body. */
  figmaWebhookRouting: row({
    signature: checkSignature({
      find: ({ body }) => textAt(body, 'passcode'),
      secrets: secretsOfWebhook,
      when: 'secret-is-set',
      fits: ({ sent, secret }) => isSameText(sent, secret),
    }),
  }),
  /** The first webhook contains the key. */
  freshbooksWebhookRouting: row({
    unsigned: ({ body }) => textAt(body, 'name') === 'callback.verify',
    signature: hmac('x-freshbooks-hmac-sha256', 'base64', { signs: ({ body }) => [freshbooksText(body)] }),
    types: typeAt('name'),
  }),
  ghostWebhookRouting: row({
    signature: checkSignature({
      find: header('x-ghost-signature'),
      secrets: secretsOfWebhook,
      when: 'secret-is-set',
      fits: ({ sent, secret, webhook, context }) => isGhostSignature(sent, secret, webhook, context.now()),
    }),
  }),
  githubWebhookRouting: row({ signature: githubSignature, types: typeIn('x-github-event') }),
  gongWebhookRouting: row({ signature: gongSignature() }),
  grafanaWebhookRouting: row({ signature: hmac('x-grafana-alerting-signature', 'hex'), types: typeAt('status') }),
  greenhouseWebhookRouting: row({
    signature: hmac('signature', 'hex', { prefix: 'sha256 ' }),
    types: typeAt('action'),
  }),
  /** The first webhook contains the key. */
  gustoWebhookRouting: row({
    unsigned: ({ body }) => textAt(body, 'verification_token') !== undefined,
    signature: hmac('x-gusto-signature', 'hex'),
  }),
  hibobWebhookRouting: row({ signature: hmac('bob-signature', 'base64', { algorithm: 'sha512' }) }),
  klaviyoWebhookRouting: row({
    signature: hmac('klaviyo-signature', 'hex', { time: { header: 'klaviyo-timestamp' }, signs: bodyAndTime }),
    items: (body) => listAt(body, 'data'),
    types: typeAt('topic'),
  }),
  leverWebhookRouting: row({
    signature: checkSignature({
      find: ({ body }) => textAt(body, 'signature'),
      secrets: secretsOfWebhook,
      when: 'secret-is-set',
      fits: ({ sent, secret, webhook: { body } }) => {
        const signed = [textAt(body, 'token') ?? '', textAt(body, 'triggeredAt') ?? ''];
        return isSameText(sent, hmacText({ encoding: 'hex' }, secret, ...signed));
      },
    }),
  }),
  loopsWebhookRouting: row({ signature: standard('webhook'), types: typeAt('eventName') }),
  mailgunWebhookRouting: row({
    signature: checkSignature({
      find: ({ body }) => textAt(body, 'signature.signature'),
      secrets: webhookSecret,
      when: 'secret-is-set',
      fits: ({ sent, secret, webhook: { body } }) => {
        const signed = [textAt(body, 'signature.timestamp') ?? '', textAt(body, 'signature.token') ?? ''];
        return isSameText(sent, hmacText({ encoding: 'hex' }, secret, ...signed));
      },
    }),
    types: typeAt('event-data.event'),
  }),
  mercuryWebhookRouting: row({ signature: timestamped('mercury-signature') }),
  openaiWebhookRouting: row({ signature: standard('webhook') }),
  paddleWebhookRouting: row({
    signature: timestampedHeader({
      header: 'paddle-signature',
      time: 'ts',
      signature: 'h1',
      separator: ';',
      joint: ':',
      secrets: secretsOfWebhook,
      when: 'secret-is-set',
      toleranceMs: FIVE_MINUTES_MS,
    }),
  }),
  pandadocWebhookRouting: row({
    signature: checkSignature({
      find: ({ query }) => query['signature'],
      secrets: secretsOfWebhook,
      when: 'secret-is-set',
      fits: ({ sent, secret, webhook }) => isSameText(sent, hmacText({ encoding: 'hex' }, secret, webhook.rawBody)),
    }),
    items: (body) => (Array.isArray(body) ? body : [body]),
  }),
  /** The webhook secret is the id of the webhook. */
  paypalWebhookRouting: row({ signature: paypalSignature(), types: typeAt('event_type') }),
  pipedriveWebhookRouting: row({
    signature: authorization,
    types: (body) => [textAt(body, 'event') ?? joined(textAt(body, 'meta.action'), textAt(body, 'meta.entity'))],
  }),
  /** A new subscription gets a challenge, which its creator sends to the API. */
  rampWebhookRouting: row({
    unsigned: ({ body }) => textAt(body, 'challenge') !== undefined,
    signature: checkSignature({
      find: header('x-ramp-signature'),
      secrets: secretsOfWebhook,
      when: 'secret-is-set',
      fits: ({ sent, secret, webhook }) =>
        isSameText(sent.replace(/^sha256=/, ''), hmacText({ encoding: 'hex' }, secret, webhook.rawBody)),
    }),
  }),
  rechargeWebhookRouting: row({
    signature: checkSignature({
      find: header('x-recharge-hmac-sha256'),
      secrets: webhookSecret,
      when: 'secret-is-set',
      fits: ({ sent, secret, webhook }) => isPrefixedHash('sha256', sent, secret, webhook),
    }),
    types: typeIn('x-recharge-topic'),
  }),
  replicateWebhookRouting: row({ signature: standard('webhook'), types: typeAt('status') }),
  resendWebhookRouting: row({ signature: standard('svix') }),
  segmentWebhookRouting: row({ signature: hmac('x-signature', 'hex', { algorithm: 'sha1' }) }),
  /** The webhook secret is the public key in base64. */
  sendgridWebhookRouting: row({
    signature: checkSignature({
      find: header('x-twilio-email-event-webhook-signature'),
      secrets: webhookSecret,
      when: 'secret-is-set',
      fits: ({ sent, secret, webhook }) => isSendgridSignature(sent, secret, webhook),
    }),
    items: (body) => (Array.isArray(body) ? body : [body]),
  }),
  sentryWebhookRouting: row({
    signature: hmac('sentry-hook-signature', 'hex'),
    types: typeIn('sentry-hook-resource'),
  }),
  shortcutWebhookRouting: row({ signature: hmac('payload-signature', 'hex') }),
  squareupWebhookRouting: row({
    signature: hmac('x-square-hmacsha256-signature', 'base64', { signs: ({ url, body }) => [url, body] }),
  }),
  tallyWebhookRouting: row({ signature: hmac('tally-signature', 'base64'), types: typeAt('eventType') }),
  /** An update has its id and one more member, which says what happened. */
  telegramWebhookRouting: row({
    signature: secretHeader({
      header: 'x-telegram-bot-api-secret-token',
      secrets: secretsOfWebhook,
      when: 'secret-is-set',
    }),
    types: (body) => Object.keys(fieldsOf(body)).filter((name) => name !== 'update_id'),
  }),
  tiktokWebhookRouting: row({
    signature: timestampedHeader({
      header: 'tiktok-signature',
      signature: 's',
      secrets: clientSecret,
      when: 'secret-is-set',
      toleranceMs: FIVE_MINUTES_MS,
    }),
  }),
  todoistWebhookRouting: row({
    signature: hmac('x-todoist-hmac-sha256', 'base64', { secrets: clientSecret }),
    types: typeAt('event_name'),
  }),
  twilioWebhookRouting: row({ signature: twilioSignature() }),
  typeformWebhookRouting: row({ signature: hmac('typeform-signature', 'base64', { prefix: 'sha256=' }) }),
  vercelWebhookRouting: row({ signature: hmac('x-vercel-signature', 'hex', { algorithm: 'sha1' }) }),
  webflowWebhookRouting: row({
    signature: hmac('x-webflow-signature', 'hex', {
      secrets: anyAppSecret,
      time: { header: 'x-webflow-timestamp', unit: 'ms', toleranceMs: FIVE_MINUTES_MS },
      signs: ({ time, body }) => [time, ':', body],
    }),
    types: typeAt('triggerType'),
  }),
  whoopWebhookRouting: row({
    signature: hmac('x-whoop-signature', 'base64', {
      secrets: clientSecret,
      time: { header: 'x-whoop-signature-timestamp', unit: 'ms', toleranceMs: FIVE_MINUTES_MS },
      signs: timeAndBody,
    }),
  }),
  /** The ping after saving contains nothing but the id of the webhook, and is not signed. */
  woocommerceWebhookRouting: row({
    unsigned: ({ rawBody }) => /^webhook_id=\d+$/.test(rawBody.subarray(0, 40).toString()),
    signature: hmac('x-wc-webhook-signature', 'base64'),
    types: typeIn('x-wc-webhook-topic'),
  }),
  workableWebhookRouting: row({ signature: hmac('x-workable-signature', 'hex') }),
  zendeskWebhookRouting: row({
    signature: hmac('x-zendesk-webhook-signature', 'base64', {
      time: { header: 'x-zendesk-webhook-signature-timestamp' },
      signs: timeAndBody,
    }),
  }),
  /** The first webhook is empty, and its header contains the key. */
  zohoMailWebhookRouting: row({
    unsigned: ({ headers }) => headers['x-hook-secret'] !== undefined && headers['x-hook-signature'] === undefined,
    signature: hmac('x-hook-signature', 'base64'),
    targets: matchingNamed,
  }),
} satisfies Record<string, WebhookRouting>;

function timestamped(name: string): SignatureCheck {
  return timestampedHeader({
    header: name,
    secrets: secretsOfWebhook,
    when: 'secret-is-set',
    toleranceMs: FIVE_MINUTES_MS,
  });
}

function joined(...parts: Array<string | undefined>): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join('.');
}
