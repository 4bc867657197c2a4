import {
  type AddressCheck,
  answerJson,
  answerText,
  echoField,
  echoHeader,
  echoQuery,
  hubChallenge,
  isThere,
  on,
  oneOf,
  signedAnswer,
  WRONG_TOKEN,
} from './address-checks.ts';
import {
  type BodyRouting,
  commonType,
  matchingNamed,
  routeBody,
  secretsOfWebhook,
  typeAt,
  typeIn,
} from './body-routing.ts';
import {
  anyAppSecret,
  authorizationHeader,
  checkSignature,
  clientSecret,
  FIVE_MINUTES_MS,
  header,
  hmacHeader,
  hmacText,
  isEd25519Signature,
  isHs256Token,
  isRecent,
  isSameText,
  webhookSecret,
} from './signature-checks.ts';
import { eachOf, listAt, refuse, textAt, type WebhookRouting } from './webhook-routing.ts';

/** A routing whose webhooks name the connection and have the usual type, unless the row says otherwise. */
export function row(rule: Partial<BodyRouting>): WebhookRouting {
  return routeBody({ types: commonType, targets: matchingNamed, ...rule });
}

const TEN_MINUTES_MS = 10 * 60_000;

/** The app secret signs; the webhook secret is the verify token. */
const metaRow = (rule: Partial<BodyRouting> = {}): WebhookRouting =>
  row({
    handshake: hubChallenge(answerText),
    signature: hmacHeader({
      header: 'x-hub-signature-256',
      encoding: 'hex',
      prefix: 'sha256=',
      secrets: clientSecret,
      when: 'secret-is-set',
    }),
    types: typeAt('object'),
    ...rule,
  });

/** Fitbit asks twice: with the code of the app's settings, which is the webhook secret, and with a wrong one. */
const fitbitCheck: AddressCheck = on('GET', ({ query }, { integration }) => {
  const { verify } = query;
  if (verify === undefined) return undefined;
  const { webhookSecret: code } = integration.app;
  return code && isSameText(verify, code)
    ? { ...answerText(''), status: 204 }
    : refuse(404, 'The verification code is another one than the webhook secret of the integration.');
});

const ouraCheck: AddressCheck = on('GET', ({ query }, { integration }) => {
  const { challenge, verification_token: token } = query;
  if (challenge === undefined) return undefined;
  const { webhookSecret: known } = integration.app;
  return known && token !== known ? WRONG_TOKEN : answerJson({ challenge });
});

const linkedinCheck = on(
  'GET',
  signedAnswer({
    tokenOf: ({ query }) => query['challengeCode'],
    secretOf: ({ integration }) => integration.app.clientSecret,
    sign: { encoding: 'hex' },
    answer: (challengeCode, challengeResponse) => ({ challengeCode, challengeResponse }),
    missing: 'LinkedIn asks for a signature with the client secret. Enter it in the settings of the integration.',
  }),
);

const twitterCheck = on(
  'GET',
  signedAnswer({
    tokenOf: ({ query }) => query['crc_token'],
    secretOf: ({ integration }) => integration.app.webhookSecret,
    sign: { encoding: 'base64', prefix: 'sha256=' },
    // No JSON text has this form, so no answer is the signature of a webhook.
    token: /^[\w+/-]{1,200}={0,2}$/,
    answer: (_token, signed) => ({ response_token: signed }),
    missing: 'X asks for a signature with the API key secret. Enter it as the webhook secret of the integration.',
  }),
);

const twitchVerification: AddressCheck = ({ headers, body }) =>
  headers['twitch-eventsub-message-type'] === 'webhook_callback_verification'
    ? answerText(textAt(body, 'challenge') ?? '')
    : undefined;

/** A ping of an interactions address has the number 1; a ping of webhook events the number 0, and wants no content. */
const discordPing: AddressCheck = ({ body }) => {
  const type = textAt(body, 'type');
  if (type === '1' && textAt(body, 'event.type') === undefined && textAt(body, 'token') !== undefined)
    return answerJson({ type: 1 });
  return type === '0' ? { ...answerText(''), status: 204 } : undefined;
};

/** The challenge of monday.com and of Miro is a body with nothing else in it that says what happened. */
const challengeAlone: AddressCheck = (webhook, context) =>
  textAt(webhook.body, 'event.type') === undefined && textAt(webhook.body, 'type') === undefined
    ? echoField('challenge')(webhook, context)
    : undefined;

/** Providers that check an address before they send to it, by the name in a catalogue entry (webhooks.md 2.5). */
export const CHECKED_ADDRESS_ROUTINGS = {
  dropboxWebhookRouting: row({
    handshake: on('GET', echoQuery('challenge')),
    signature: hmacHeader({
      header: 'x-dropbox-signature',
      encoding: 'hex',
      secrets: clientSecret,
      when: 'secret-is-set',
    }),
  }),
  /** Exact Online posts an empty body when a subscription is created. */
  exactOnlineWebhookRouting: row({
    handshake: on('POST', ({ rawBody }) => (rawBody.length === 0 ? answerText('') : undefined)),
    signature: checkSignature({
      find: ({ body }) => textAt(body, 'HashCode'),
      secrets: secretsOfWebhook,
      when: 'secret-is-set',
      fits: ({ sent, secret, webhook }) => isExactHash(sent, secret, webhook.rawBody),
    }),
    types: typeAt('Content.Topic'),
  }),
  facebookWebhookRouting: metaRow(),
  fitbitWebhookRouting: row({
    handshake: fitbitCheck,
    signature: hmacHeader({
      header: 'x-fitbit-signature',
      algorithm: 'sha1',
      encoding: 'base64',
      secrets: clientSecret,
      when: 'secret-is-set',
      key: (secret) => `${secret}&`,
    }),
    items: eachOf,
    types: typeAt('collectionType'),
  }),
  linkedinWebhookRouting: row({
    handshake: linkedinCheck,
    signature: hmacHeader({
      header: 'x-li-signature',
      encoding: 'hex',
      secrets: clientSecret,
      when: 'secret-is-set',
      signs: ({ body }) => ['hmacsha256=', body],
    }),
  }),
  mailchimpWebhookRouting: row({ handshake: oneOf(on('GET', isThere), on('HEAD', isThere)) }),
  mandrillWebhookRouting: row({
    handshake: oneOf(on('HEAD', isThere), on('GET', isThere)),
    signature: hmacHeader({
      header: 'x-mandrill-signature',
      algorithm: 'sha1',
      encoding: 'base64',
      secrets: secretsOfWebhook,
      when: 'secret-is-set',
      signs: ({ body, url }) => [url, sortedFields(body)],
    }),
  }),
  miroWebhookRouting: row({ handshake: challengeAlone, types: typeAt('event.type') }),
  /** Webhooks of an app carry a token that is signed with the signing secret of the app. */
  mondayWebhookRouting: row({
    handshake: challengeAlone,
    signature: checkSignature({
      find: header('authorization'),
      secrets: webhookSecret,
      when: 'secret-is-set',
      fits: ({ sent, secret, context }) => isHs256Token(sent.replace(/^bearer /i, ''), secret, context.now()),
    }),
    types: typeAt('event.type'),
  }),
  oktaWebhookRouting: row({
    handshake: on('GET', ({ headers }) => {
      const verification = headers['x-okta-verification-challenge'];
      return verification ? answerJson({ verification }) : undefined;
    }),
    signature: authorizationHeader({ secrets: webhookSecret, when: 'secret-is-set' }),
    items: (body) => listAt(body, 'data.events'),
    types: typeAt('eventType'),
  }),
  ouraWebhookRouting: row({
    handshake: ouraCheck,
    signature: hmacHeader({
      header: 'x-oura-signature',
      encoding: 'hex',
      secrets: clientSecret,
      when: 'secret-is-set',
      isInCapitals: true,
      time: { header: 'x-oura-timestamp' },
      signs: ({ time, body }) => [time, body],
    }),
    types: (body) => [textAt(body, 'data_type'), textAt(body, 'event_type')],
  }),
  ringCentralWebhookRouting: row({
    handshake: echoHeader('validation-token'),
    signature: checkSignature({
      find: header('verification-token'),
      secrets: secretsOfWebhook,
      when: 'secret-is-set',
      fits: ({ sent, secret }) => isSameText(sent, secret),
    }),
  }),
  smartsheetWebhookRouting: row({
    handshake: on('POST', ({ headers, body }) => {
      const challenge = headers['smartsheet-hook-challenge'] ?? textAt(body, 'challenge');
      return challenge
        ? { ...answerJson({ smartsheetHookResponse: challenge }), headers: { 'smartsheet-hook-response': challenge } }
        : undefined;
    }),
    signature: hmacHeader({
      header: 'smartsheet-hmac-sha256',
      encoding: 'hex',
      secrets: secretsOfWebhook,
      when: 'secret-is-set',
    }),
    types: (body) => [...new Set(listAt(body, 'events').map((event) => textAt(event, 'eventType')))],
  }),
  /** The verify token is the webhook secret; events are not signed. */
  stravaWebhookRouting: row({
    handshake: hubChallenge((challenge) => answerJson({ 'hub.challenge': challenge })),
    types: (body) => {
      const [kind, aspect] = [textAt(body, 'object_type'), textAt(body, 'aspect_type')];
      return [kind === undefined || aspect === undefined ? undefined : `${kind}.${aspect}`];
    },
  }),
  togglWebhookRouting: row({
    handshake: on('POST', echoField('validation_code')),
    signature: hmacHeader({
      header: 'x-webhook-signature-256',
      encoding: 'hex',
      prefix: 'sha256=',
      secrets: secretsOfWebhook,
      when: 'secret-is-set',
    }),
    types: typeAt('metadata.event_type'),
  }),
  trelloWebhookRouting: row({
    handshake: on('HEAD', isThere),
    signature: hmacHeader({
      header: 'x-trello-webhook',
      algorithm: 'sha1',
      encoding: 'base64',
      secrets: anyAppSecret,
      when: 'secret-is-set',
      signs: ({ body, url }) => [body, url],
    }),
    types: typeAt('action.type'),
  }),
  twitchWebhookRouting: row({
    signature: hmacHeader({
      header: 'twitch-eventsub-message-signature',
      encoding: 'hex',
      prefix: 'sha256=',
      secrets: secretsOfWebhook,
      when: 'secret-is-set',
      time: { header: 'twitch-eventsub-message-timestamp', unit: 'iso', toleranceMs: TEN_MINUTES_MS },
      signs: ({ webhook, time, body }) => [webhook.headers['twitch-eventsub-message-id'] ?? '', time, body],
    }),
    signedHandshake: twitchVerification,
    types: typeIn('twitch-eventsub-subscription-type'),
  }),
  twitterWebhookRouting: row({
    handshake: twitterCheck,
    signature: hmacHeader({
      header: 'x-twitter-webhooks-signature',
      encoding: 'base64',
      prefix: 'sha256=',
      secrets: webhookSecret,
      when: 'secret-is-set',
    }),
  }),
  /** The webhook secret is the public key of the application. Discord tries wrong signatures too. */
  discordWebhookRouting: row({
    signature: checkSignature({
      find: header('x-signature-ed25519'),
      secrets: webhookSecret,
      when: 'secret-is-set',
      fits: ({ sent, secret, webhook, context }) => {
        const time = webhook.headers['x-signature-timestamp'] ?? '';
        const signed = Buffer.concat([Buffer.from(time), webhook.rawBody]);
        return isRecent(time, context.now(), FIVE_MINUTES_MS) && isEd25519Signature(secret, sent, signed);
      },
    }),
    signedHandshake: discordPing,
    types: typeAt('event.type'),
  }),
  /** An integration with a key has no app secret, so its webhooks cannot be checked. */
  whatsappWebhookRouting: metaRow(),
} satisfies Record<string, WebhookRouting>;

/** HMAC of the text of `Content`, in capitals. The body must have exactly the documented form, so that no other part of it counts. */
function isExactHash(sent: string, secret: string, body: Buffer): boolean {
  const text = body.toString().trim();
  const [head] = /^\{\s*"Content"\s*:/.exec(text) ?? [];
  const end = text.lastIndexOf(',');
  if (head === undefined || !/^,\s*"HashCode"\s*:\s*"[^"]*"\s*\}$/.test(text.slice(end))) return false;
  const content = text.slice(head.length, end).trim();
  return isSameText(sent.toLowerCase(), hmacText({ encoding: 'hex' }, secret, content));
}

/** Names and values of a form, sorted by name and without anything between them. */
export function sortedFields(body: Buffer): string {
  const fields = [...new URLSearchParams(body.toString())];
  return fields
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, value]) => `${name}${value}`)
    .join('');
}
