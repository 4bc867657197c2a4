import { valueAt } from '../../integrations/catalog/template/resolve-template.ts';
import { isThere, on } from './address-checks.ts';
import {
  type MaybeTypes,
  matching,
  matchingAll,
  matchingId,
  matchingNamed,
  namedOrMatching,
  noType,
  routeBody,
  routedEvent,
  secretsOfWebhook,
  typeAt,
  typeIn,
} from './body-routing.ts';
import { airtableSignature } from './provider-signatures.ts';
import {
  anyAppSecret,
  checkSignature,
  clientSecret,
  connectionSecrets,
  FIVE_MINUTES_MS,
  header,
  hmacHeader,
  hmacText,
  isPrefixedHash,
  isRecent,
  isSameText,
  refuseUnsigned,
  secretHeader,
  standardHeaders,
  timestampedHeader,
  webhookSecret,
} from './signature-checks.ts';
import {
  CONNECTION_HEADER,
  connectionIdOf,
  connectionTarget,
  eachOf,
  fieldsOf,
  listAt,
  MISSING_CONNECTION_ID,
  MISSING_SIGNATURE,
  missingHeader,
  type ProviderWebhook,
  textAt,
  type WebhookRouting,
} from './webhook-routing.ts';

const ONE_MINUTE_MS = 60_000;
const THREE_MINUTES_MS = 3 * 60_000;

const HASH_PREFIX = 'sha256=';

const connectionInQuery = ({ query }: ProviderWebhook): string | undefined => query['nangoConnectionId'];

const routeNotionEvent = routeBody({
  signature: hmacHeader({
    header: 'x-notion-signature',
    encoding: 'hex',
    prefix: 'sha256=',
    secrets: webhookSecret,
    when: 'secret-is-set',
  }),
  types: typeAt('type'),
  targets: matching('workspace_id'),
});

const connectionInHeader = header(CONNECTION_HEADER);

const SHOPIFY_SHOP = 'x-shopify-shop-domain';

const STREAK_TOKEN = 'x-streak-webhook-token';

const routeXeroEvents = routeBody({
  signature: hmacHeader({ header: 'x-xero-signature', encoding: 'base64', secrets: webhookSecret, when: 'always' }),
  items: (body) => listAt(body, 'events'),
  types: typeAt('eventType'),
  targets: matching('tenantId', 'tenant_id'),
});

/**
 * Routings of providers whose webhooks contain everything in body and headers, by the name in a catalogue entry
 * (webhooks.md 2.5).
 */
export const BODY_ROUTINGS = {
  /** The webhook does not identify the account. */
  affinityWebhookRouting: routeBody({ types: typeAt('type'), targets: matchingAll }),
  /** Each webhook of Aircall has its own token, in the metadata of the connection or in the settings. */
  aircallWebhookRouting: routeBody({
    signature: checkSignature({
      find: ({ body }) => textAt(body, 'token'),
      secrets: secretsOfWebhook,
      when: 'secret-is-set',
      fits: ({ sent, secret }) => isSameText(sent, secret),
    }),
    types: typeAt('event'),
    targets: matchingNamed,
  }),
  /** Airtable only says that something changed: functions keep the ids of their webhooks in the metadata. */
  airtableWebhookRouting: async (webhook, context) => {
    const refusal = await refuseUnsigned(airtableSignature, webhook, context);
    if (refusal) return refusal;
    const { body } = webhook;
    const targets = [{ property: 'metadata.webhooks', value: textAt(body, 'webhook.id') }];
    return { kind: 'handled', events: [routedEvent([], targets, { ...fieldsOf(body), type: '*' })], forward: body };
  },
  attioWebhookRouting: routeBody({
    signature: hmacHeader({
      header: 'x-attio-signature',
      encoding: 'hex',
      secrets: webhookSecret,
      when: 'secret-is-set',
    }),
    items: (body) => listAt(body, 'events'),
    types: typeAt('event_type'),
    targets: matching('id.workspace_id', 'workspace_id'),
  }),
  autotaskWebhookRouting: routeBody({
    signature: hmacHeader({
      header: 'x-hook-signature',
      algorithm: 'sha1',
      encoding: 'base64',
      prefix: 'sha1=',
      secrets: webhookSecret,
      when: 'always',
    }),
    types: typeAt('EntityType'),
    targets: matching('Guid', 'webhookGuid'),
  }),
  calComWebhookRouting: routeBody({
    requires: (webhook) => (connectionIdOf(webhook) ? undefined : MISSING_CONNECTION_ID),
    signature: hmacHeader({
      header: 'x-cal-signature-256',
      encoding: 'hex',
      secrets: webhookSecret,
      when: 'secret-is-set',
    }),
    types: typeAt('triggerEvent'),
    targets: matchingId(connectionIdOf),
  }),
  calendlyWebhookRouting: routeBody({
    signature: timestampedHeader({
      header: 'calendly-webhook-signature',
      secrets: webhookSecret,
      when: 'secret-is-set',
      toleranceMs: THREE_MINUTES_MS,
    }),
    types: typeAt('event'),
    targets: matching('created_by', 'owner'),
  }),
  checkrPartnerWebhookRouting: routeBody({
    signature: hmacHeader({
      header: 'x-checkr-signature',
      encoding: 'hex',
      secrets: anyAppSecret,
      when: 'always',
    }),
    types: typeAt('type'),
    targets: matching('account_id', 'checkr_account_id'),
  }),
  fathomWebhookRouting: routeBody({
    signature: standardHeaders({
      names: ['webhook', 'svix'],
      secrets: webhookSecret,
      when: 'secret-is-set',
    }),
    types: noType,
    targets: matching('recorded_by.email', 'metadata.emailAddress'),
  }),
  filloutWebhookRouting: routeBody({
    items: eachOf,
    types: typeAt('type'),
    targets: matching('formId', 'metadata.formId'),
  }),
  /**
   * Fireflies has two versions of webhooks: one has a prefix before the signature, and they name the type differently.
   */
  firefliesWebhookRouting: routeBody({
    signature: checkSignature({
      find: header('x-hub-signature'),
      secrets: webhookSecret,
      when: 'secret-is-set',
      fits: ({ sent, secret, webhook }) =>
        isSameText(
          sent.startsWith(HASH_PREFIX) ? sent.slice(HASH_PREFIX.length) : sent,
          hmacText({ encoding: 'hex' }, secret, webhook.rawBody),
        ),
    }),
    types: (body) => [textAt(body, 'eventType') ?? textAt(body, 'event')],
    targets: matchingNamed,
  }),
  folkWebhookRouting: routeBody({
    requires: (webhook) => (connectionInQuery(webhook) ? undefined : MISSING_CONNECTION_ID),
    signature: standardHeaders({ names: ['webhook'], secrets: webhookSecret, when: 'secret-is-set' }),
    types: typeAt('type'),
    targets: matchingId(connectionInQuery),
  }),
  /** Intercom signs with the client secret of the app; people may also enter it as the webhook secret. */
  intercomWebhookRouting: routeBody({
    handshake: on('HEAD', isThere),
    signature: hmacHeader({
      header: 'x-hub-signature',
      algorithm: 'sha1',
      encoding: 'hex',
      prefix: 'sha1=',
      secrets: anyAppSecret,
      when: 'secret-is-set',
    }),
    types: typeAt('topic'),
    targets: matchingNamed,
  }),
  jobberWebhookRouting: routeBody({
    signature: hmacHeader({
      header: 'x-jobber-hmac-sha256',
      encoding: 'base64',
      secrets: clientSecret,
      when: 'always',
    }),
    items: (body) => [valueAt(body, 'data.webHookEvent')].filter((event) => event !== undefined),
    types: typeAt('topic'),
    targets: matching('accountId'),
  }),
  /** The webhook does not identify the account. */
  jobdivaWebhookRouting: routeBody({
    signature: hmacHeader({
      header: 'x-hub-signature',
      algorithm: 'sha1',
      encoding: 'hex',
      prefix: 'sha1=',
      secrets: webhookSecret,
      when: 'secret-is-set',
    }),
    types: typeAt('type'),
    targets: matchingAll,
  }),
  linearWebhookRouting: routeBody({
    signature: checkSignature({
      find: header('linear-signature'),
      secrets: webhookSecret,
      when: 'always',
      fits: ({ sent, secret, webhook, context }) => {
        // The time is signed with the body, so that nobody can leave it out.
        const time = textAt(webhook.body, 'webhookTimestamp');
        const isInTime = time === undefined || isRecent(time, context.now(), ONE_MINUTE_MS, 'ms');
        return isInTime && isSameText(sent, hmacText({ encoding: 'hex' }, secret, webhook.rawBody));
      },
    }),
    types: typeAt('type'),
    targets: matching('organizationId'),
  }),
  /**
   * The first webhook contains the key for signatures, unsigned; it is forwarded to the developer's app and not used
   * here.
   */
  notionWebhookRouting: (webhook, context) =>
    textAt(webhook.body, 'verification_token') === undefined
      ? routeNotionEvent(webhook, context)
      : { kind: 'handled', events: [], forward: webhook.body },
  /** Each webhook has its own secret and headers: the developer adds a header with the connection's id. */
  pagerdutyWebhookRouting: routeBody({
    requires: (webhook) => (connectionInHeader(webhook) ? undefined : missingHeader(CONNECTION_HEADER)),
    signature: checkSignature({
      find: header('x-pagerduty-signature'),
      secrets: connectionSecrets(connectionInHeader),
      when: 'secret-is-set',
      fits: ({ sent, secret, webhook }) => {
        const expected = hmacText({ encoding: 'hex', prefix: 'v1=' }, secret, webhook.rawBody);
        return sent.split(',').some((one) => isSameText(one.trim(), expected));
      },
    }),
    types: typeAt('event.event_type'),
    targets: matchingId(connectionInHeader),
  }),
  /** The developer's own code in Salesforce determines the content. */
  salesforceWebhookRouting: routeBody({
    types: typeAt('nango.eventType'),
    targets: matching('nango.connectionId', 'connectionId'),
  }),
  sellsyWebhookRouting: routeBody({
    signature: checkSignature({
      find: header('x-webhook-signature'),
      secrets: webhookSecret,
      when: 'secret-is-set',
      fits: ({ sent, secret, webhook }) => isPrefixedHash('sha1', sent, secret, webhook),
    }),
    types: sellsyTypes,
    targets: matching('corpid'),
  }),
  shipstationWebhookRouting: routeBody({
    types: typeAt('resource_type'),
    targets: (body, { headers }) => [
      headers[CONNECTION_HEADER]
        ? connectionTarget(headers[CONNECTION_HEADER])
        : { property: 'metadata.storeId', value: shipstationStore(textAt(body, 'resource_url')) },
    ],
  }),
  shopifyWebhookRouting: routeBody({
    requires: ({ headers }) => (headers[SHOPIFY_SHOP] ? undefined : missingHeader(SHOPIFY_SHOP)),
    // Webhooks of an app are signed with its client secret, those created in a shop's settings with their own secret.
    signature: hmacHeader({
      header: 'x-shopify-hmac-sha256',
      encoding: 'base64',
      secrets: anyAppSecret,
      when: 'secret-is-set',
    }),
    types: typeIn('x-shopify-topic'),
    targets: (_body, { headers }) => [{ property: 'subdomain', value: headers[SHOPIFY_SHOP]?.split('.')[0] }],
  }),
  /** The token identifies the webhook, and is the only proof of its origin. */
  streakWebhookRouting: routeBody({
    requires: ({ headers }) => (headers[STREAK_TOKEN] ? undefined : MISSING_SIGNATURE),
    types: noType,
    targets: (_body, { headers }) => [{ property: 'streakWebhookToken', value: headers[STREAK_TOKEN] }],
  }),
  /** Events of connected accounts contain the account: the one that a key acts for, or that authorized the app. */
  stripeWebhookRouting: routeBody({
    signature: timestampedHeader({
      header: 'stripe-signature',
      secrets: webhookSecret,
      when: 'secret-is-set',
      toleranceMs: FIVE_MINUTES_MS,
    }),
    types: typeAt('type'),
    targets: namedOrMatching('account', 'context', 'stripe_user_id'),
  }),
  /** The sender is the developer's own: it sends the secret itself, or signs the body with it. */
  authenticatedWebhookRouting: routeBody({
    signature: checkSignature({
      find: ({ headers }) => headers['x-webhook-signature'] ?? headers['nango-webhook-secret'],
      secrets: secretsOfWebhook,
      when: 'always',
      fits: ({ sent, secret, webhook }) =>
        webhook.headers['x-webhook-signature'] === undefined
          ? isSameText(sent, secret)
          : isSameText(sent.replace(/^sha256=/, ''), hmacText({ encoding: 'hex' }, secret, webhook.rawBody)),
    }),
    types: typeAt('type'),
    targets: matchingNamed,
  }),
  unauthenticatedWebhookRouting: routeBody({ types: typeAt('type'), targets: matching('connectionId') }),
  videoaskWebhookRouting: routeBody({
    signature: secretHeader({ header: 'nango-webhook-secret', secrets: webhookSecret, when: 'secret-is-set' }),
    types: typeAt('type'),
    targets: matchingId(header('nango-connection-id')),
  }),
  /**
   * Xero tests whether a receiver checks signatures, with webhooks without events and with correct and wrong
   * signatures.
   */
  xeroWebhookRouting: async (webhook, context) => {
    const result = await routeXeroEvents(webhook, context);
    const isTest = result.kind === 'handled' && result.events.length === 0;
    return isTest ? { kind: 'answered', contentType: 'text/plain', text: '' } : result;
  },
} satisfies Record<string, WebhookRouting>;

/** The log of a third party names events by the party's kind, or by the event type. */
function sellsyTypes(body: unknown): MaybeTypes {
  const join = (...names: string[]): string | undefined => {
    const parts = names.map((name) => textAt(body, name));
    return parts.includes(undefined) ? undefined : parts.join('.');
  };
  return textAt(body, 'eventType') === 'thirdlog'
    ? [join('thirdtype', 'event'), join('relatedtype', 'eventType', 'event')]
    : [join('relatedtype', 'event')];
}

/** ShipStation spells the parameter `storeID`. */
function shipstationStore(address = ''): string | undefined {
  const parameters = [...(URL.parse(address)?.searchParams ?? [])];
  return parameters.find(([name]) => name.toLowerCase() === 'storeid')?.[1];
}
