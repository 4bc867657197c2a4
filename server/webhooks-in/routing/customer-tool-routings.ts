import { valueAt } from '../../integrations/catalog/template/resolve-template.ts';
import { readExactJson } from '../../platform/lib/exact-json.ts';
import { parseJson } from '../../platform/lib/parse-json.ts';
import { echoQuery, on, signedAnswer } from './address-checks.ts';
import {
  type MaybeTypes,
  matching,
  matchingNamed,
  namedConnection,
  routeBody,
  routedEvent,
  typeAt,
} from './body-routing.ts';
import {
  checkSignature,
  clientSecret,
  FIVE_MINUTES_MS,
  header,
  hmacHeader,
  hmacText,
  isPrefixedHash,
  isRsaSignature,
  isSameText,
  prefixedHash,
  readPublicKey,
  refuseUnsigned,
  type SignatureCheck,
  versionedHeaders,
  webhookSecret,
} from './signature-checks.ts';
import {
  connectionTarget,
  eachOf,
  fieldsOf,
  INVALID_SIGNATURE,
  listAt,
  type MatchTarget,
  MISSING_SIGNATURE,
  type ProviderWebhook,
  type RoutingContext,
  refuse,
  textAt,
  type WebhookRouting,
} from './webhook-routing.ts';

const FRONT_CHALLENGE = 'x-front-challenge';

const routeFrontEvent = routeBody({
  signature: checkSignature({
    find: header('x-front-signature'),
    secrets: webhookSecret,
    when: 'secret-is-set',
    fits: ({ sent, secret, webhook, context }) => {
      // Milliseconds.
      const time = webhook.headers['x-front-request-timestamp'] ?? '';
      const isInTime = /^\d{1,15}$/.test(time) && Math.abs(context.now() - Number(time)) <= FIVE_MINUTES_MS;
      return isInTime && isSameText(sent, hmacText({ encoding: 'base64' }, secret, `${time}:`, webhook.rawBody));
    },
  }),
  types: typeAt('type'),
  targets: matchingNamed,
});

/** Webhooks of a Front application. When their address is saved, Front sends a signed challenge. */
export const frontWebhookRouting: WebhookRouting = async (webhook, context) => {
  const result = await routeFrontEvent(webhook, context);
  const challenge = webhook.headers[FRONT_CHALLENGE];
  return result.kind === 'handled' && challenge
    ? { kind: 'answered', contentType: 'text/plain', text: challenge }
    : result;
};

const highlevelRsa = checkSignature({
  find: header('x-wh-signature'),
  secrets: webhookSecret,
  when: 'secret-is-set',
  fits: ({ sent, secret, webhook }) => {
    const key = readPublicKey(secret);
    return key !== undefined && isRsaSignature(key, sent, webhook.rawBody);
  },
});

/** The webhook secret is the public key from HighLevel's documentation. */
const highlevelSignature: SignatureCheck = (webhook, context) => {
  const { webhookSecret: pem } = context.integration.app;
  return pem && !readPublicKey(pem)
    ? refuse(400, 'The webhook secret of the integration is not a public key. Enter the PEM that HighLevel publishes.')
    : highlevelRsa(webhook, context);
};

export const highlevelWebhookRouting = routeBody({
  signature: highlevelSignature,
  types: typeAt('type'),
  targets: accountOf,
});

/** A location, or a whole agency; events of the app itself concern every account. */
function accountOf(body: unknown): MatchTarget[] {
  const property = ['locationId', 'companyId'].find((name) => textAt(body, name) !== undefined);
  return [property === undefined ? 'all' : { property, value: textAt(body, property) }];
}

/** Escapes that HubSpot decodes in the address before it signs. */
const HUBSPOT_ESCAPES = /%(3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;

const hubspotAddress = (url: string): string => url.replace(HUBSPOT_ESCAPES, (code) => decodeURIComponent(code));

const hubspotV3 = hmacHeader({
  header: 'x-hubspot-signature-v3',
  encoding: 'base64',
  secrets: clientSecret,
  when: 'always',
  time: { header: 'x-hubspot-request-timestamp', unit: 'ms', toleranceMs: FIVE_MINUTES_MS },
  signs: ({ webhook, url, body, time }) => [webhook.method, hubspotAddress(url), body, time],
});

const hubspotV1 = checkSignature({
  find: header('x-hubspot-signature'),
  secrets: clientSecret,
  when: 'always',
  fits: ({ sent, secret, webhook, context }) =>
    webhook.headers['x-hubspot-signature-version'] === 'v2'
      ? context.urls.some((url) => isHashOf(sent, secret, webhook.method, url, webhook.rawBody))
      : isPrefixedHash('sha256', sent, secret, webhook),
});

/** HubSpot sends several versions of its signature; the newest one counts, because only it has a time. */
const hubspotSignature: SignatureCheck = (webhook, context) =>
  (webhook.headers['x-hubspot-signature-v3'] === undefined ? hubspotV1 : hubspotV3)(webhook, context);

function isHashOf(sent: string, secret: string, method: string, url: string, body: Buffer): boolean {
  // The hash of secret and text can be continued by anyone who has seen one; a continued body is no JSON.
  if (body.length > 0 && parseJson(body.toString()) === undefined) return false;
  return isSameText(sent, prefixedHash('sha256', secret, Buffer.concat([Buffer.from(`${method}${url}`), body])));
}

export const hubspotWebhookRouting = routeBody({
  signature: hubspotSignature,
  items: inOrder,
  types: typeAt('subscriptionType'),
  targets: matching('portalId'),
});

/** HubSpot's batches are unordered: events are grouped by object, its creation first, then by time. */
function inOrder(body: unknown): unknown[] {
  const byObject = new Map<string, unknown[]>();
  for (const event of eachOf(body).filter((one) => textAt(one, 'changeSource') !== 'IMPORT')) {
    const object = textAt(event, 'objectId') ?? '';
    byObject.set(object, [...(byObject.get(object) ?? []), event]);
  }
  return [...byObject.values()].flatMap((events) => events.sort(byCreationAndTime));
}

function byCreationAndTime(a: unknown, b: unknown): number {
  const rank = (event: unknown): number => (textAt(event, 'subscriptionType')?.endsWith('.creation') ? 0 : 1);
  const time = (event: unknown): number => Number(textAt(event, 'occurredAt') ?? 0);
  return rank(a) - rank(b) || time(a) - time(b);
}

const validateAddress = echoQuery('validationToken');

/** Change notifications of Microsoft Graph. The secret is the `clientState` with which a subscription was created. */
export const microsoftWebhookRouting: WebhookRouting = (webhook, context) => {
  const answer = validateAddress(webhook, context);
  if (answer) return answer;
  const notices = listAt(webhook.body, 'value');
  const valid = notices.filter((notice) => isTrusted(notice, context));
  if (!expectsState(context)) context.onSignature?.(context.skipsSignature ? 'skipped' : 'unchecked');
  else context.onSignature?.(valid.length === 0 ? 'invalid' : 'valid');
  if (valid.length === 0 && expectsState(context)) {
    const hasState = notices.some((notice) => textAt(notice, 'clientState') !== undefined);
    return hasState ? INVALID_SIGNATURE : MISSING_SIGNATURE;
  }
  const named = namedConnection(webhook);
  const events = valid.map((notice) =>
    routedEvent(
      [textAt(notice, 'changeType') ?? textAt(notice, 'lifecycleEvent')],
      [
        ...(named === undefined ? [] : [connectionTarget(named)]),
        { property: 'tenantId', value: textAt(notice, 'tenantId') },
      ],
      notice,
    ),
  );
  // The whole body, with whatever else is in it, unless something was left out.
  return { kind: 'handled', events, forward: valid.length === notices.length ? webhook.body : { value: valid } };
};

const routeTeamsActivity = routeBody({ types: typeAt('type'), targets: matching('channelData.tenant.id', 'tenantId') });

/** A bot gets activities; subscriptions of Microsoft Graph send lists of notifications. */
export const microsoftTeamsWebhookRouting: WebhookRouting = (webhook, context) =>
  validateAddress(webhook, context) || Array.isArray(valueAt(webhook.body, 'value'))
    ? microsoftWebhookRouting(webhook, context)
    : routeTeamsActivity(webhook, context);

function expectsState({ integration, skipsSignature }: RoutingContext): boolean {
  return !skipsSignature && Boolean(integration.app.webhookSecret);
}

function isTrusted(notice: unknown, context: RoutingContext): boolean {
  if (!expectsState(context)) return true;
  return isSameText(textAt(notice, 'clientState') ?? '', context.integration.app.webhookSecret ?? '');
}

/** Intuit replaces its own format of notifications with a list of CloudEvents; both are accepted. */
export const quickbooksWebhookRouting = routeBody({
  signature: hmacHeader({
    header: 'intuit-signature',
    encoding: 'base64',
    secrets: webhookSecret,
    when: 'secret-is-set',
  }),
  items: (body) => (Array.isArray(body) ? body : listAt(body, 'eventNotifications')),
  types: typesOf,
  targets: (notice, webhook) => [
    connectionTarget(namedConnection(webhook)),
    { property: 'realmId', value: textAt(notice, 'realmId') ?? textAt(notice, 'intuitaccountid') },
  ],
});

/** The type of a CloudEvent; for the older format `<entity>.<operation>`, such as `Customer.Create`. */
function typesOf(notice: unknown): MaybeTypes {
  const changes = listAt(notice, 'dataChangeEvent.entities').map((entity) => {
    const [name, operation] = [textAt(entity, 'name'), textAt(entity, 'operation')];
    return name === undefined || operation === undefined ? undefined : `${name}.${operation}`;
  });
  return [...new Set([textAt(notice, 'type'), ...changes])];
}

/** The secret of an app that Slack calls "signing secret". */
const slackSignature = versionedHeaders({
  header: 'x-slack-signature',
  timeHeader: 'x-slack-request-timestamp',
  secrets: webhookSecret,
  when: 'secret-is-set',
});

export const slackWebhookRouting: WebhookRouting = async (webhook, context) => {
  const refusal = await refuseUnsigned(slackSignature, webhook, context);
  if (refusal) return refusal;
  const body = unwrap(webhook);
  const type = textAt(body, 'type');
  if (type === 'url_verification') {
    const challenge = textAt(body, 'challenge');
    return challenge === undefined
      ? refuse(400, 'The verification of the address has no challenge.')
      : { kind: 'answered', contentType: 'text/plain', text: challenge };
  }
  const teamId = textAt(body, 'team_id') ?? textAt(body, 'team.id');
  return {
    kind: 'handled',
    events: [routedEvent([type], [{ property: 'team.id', value: teamId }], { ...fieldsOf(body), teamId })],
    forward: body,
    // A dialog closes only on an empty response.
    ...(type === 'view_submission' ? { response: '' } : {}),
  };
};

/** Interactions are forms with JSON in the field `payload`; slash commands are plain forms. */
function unwrap({ headers, body }: ProviderWebhook): unknown {
  const payload = headers['content-type']?.includes('urlencoded') ? fieldsOf(body)['payload'] : undefined;
  return typeof payload === 'string' ? (readExactJson(payload) ?? body) : body;
}

/** Zoom checks from time to time whether the receiver knows the secret token of the app. */
export const zoomWebhookRouting = routeBody({
  handshake: on(
    'POST',
    signedAnswer({
      tokenOf: ({ body }) =>
        textAt(body, 'event') === 'endpoint.url_validation' ? (textAt(body, 'payload.plainToken') ?? '') : undefined,
      secretOf: ({ integration }) => integration.app.webhookSecret,
      sign: { encoding: 'hex' },
      answer: (plainToken, encryptedToken) => ({ plainToken, encryptedToken }),
      missing: 'Zoom asks for its secret token. Enter it as the webhook secret of the integration.',
    }),
  ),
  signature: versionedHeaders({
    header: 'x-zm-signature',
    timeHeader: 'x-zm-request-timestamp',
    secrets: webhookSecret,
    when: 'secret-is-set',
  }),
  types: typeAt('event'),
  targets: matchingNamed,
});
