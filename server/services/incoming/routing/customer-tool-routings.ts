import { parseJson } from '../../../lib/parse-json.ts';
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
  refuseUnsigned,
  type SignatureCheck,
  versionedHeaders,
  webhookSecret,
} from './signature-checks.ts';
import { hmacText, isPrefixedHash, isRsaSignature, isSameText, readPublicKey } from './signatures.ts';
import {
  connectionTarget,
  eachOf,
  fieldsOf,
  INVALID_SIGNATURE,
  listAt,
  MISSING_SIGNATURE,
  refuse,
  textAt,
} from './webhook-fields.ts';
import type { MatchTarget, ProviderWebhook, RoutingContext, RoutingResult, WebhookRouting } from './webhook-routing.ts';

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

export const hubspotWebhookRouting = routeBody({
  signature: checkSignature({
    find: header('x-hubspot-signature'),
    secrets: clientSecret,
    when: 'always',
    fits: ({ sent, secret, webhook }) => isPrefixedHash('sha256', sent, secret, webhook),
  }),
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

/** Change notifications of Microsoft Graph. The secret is the `clientState` with which a subscription was created. */
export const microsoftWebhookRouting: WebhookRouting = ({ query, body }, context) => {
  const validationToken = query['validationToken'];
  if (validationToken !== undefined) return { kind: 'answered', contentType: 'text/plain', text: validationToken };
  const notices = listAt(body, 'value');
  const valid = notices.filter((notice) => isTrusted(notice, context));
  if (!expectsState(context)) context.onSignature?.(context.skipsSignature ? 'skipped' : 'unchecked');
  else context.onSignature?.(valid.length === 0 ? 'invalid' : 'valid');
  if (valid.length === 0 && expectsState(context)) {
    const hasState = notices.some((notice) => textAt(notice, 'clientState') !== undefined);
    return hasState ? INVALID_SIGNATURE : MISSING_SIGNATURE;
  }
  const events = valid.map((notice) =>
    routedEvent([textAt(notice, 'changeType')], [{ property: 'tenantId', value: textAt(notice, 'tenantId') }], notice),
  );
  return { kind: 'handled', events, forward: { value: valid } };
};

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
  return typeof payload === 'string' ? (parseJson(payload) ?? body) : body;
}

/**
 * Zoom signs texts that begin with `v0:` with the same key: answering such a token would give its sender a signature.
 */
const PLAIN_TOKEN = /^[\w-]{1,200}$/;

const routeZoomEvent = routeBody({
  signature: versionedHeaders({
    header: 'x-zm-signature',
    timeHeader: 'x-zm-request-timestamp',
    secrets: webhookSecret,
    when: 'secret-is-set',
  }),
  types: typeAt('event'),
  targets: matchingNamed,
});

export const zoomWebhookRouting: WebhookRouting = (webhook, context) =>
  textAt(webhook.body, 'event') === 'endpoint.url_validation'
    ? answerValidation(webhook, context)
    : routeZoomEvent(webhook, context);

/** Zoom checks from time to time whether the receiver knows the secret token of the app. */
function answerValidation({ body }: ProviderWebhook, { integration }: RoutingContext): RoutingResult {
  const plainToken = textAt(body, 'payload.plainToken');
  const { webhookSecret: secret } = integration.app;
  if (!secret) return refuse(400, 'Zoom asks for its secret token. Enter it as the webhook secret of the integration.');
  if (plainToken === undefined || !PLAIN_TOKEN.test(plainToken))
    return refuse(400, 'The validation of the address has no plainToken.');
  const encryptedToken = hmacText({ encoding: 'hex' }, secret, plainToken);
  return { kind: 'answered', contentType: 'application/json', text: JSON.stringify({ plainToken, encryptedToken }) };
}
