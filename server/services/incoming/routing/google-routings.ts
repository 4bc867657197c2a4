import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { hashAddress } from '../../../lib/address-hash.ts';
import { parseJson } from '../../../lib/parse-json.ts';
import { type MaybeTypes, routedEvent } from './body-routing.ts';
import { refuseUnsigned, type SignatureCheck } from './signature-checks.ts';
import { fieldsOf, INVALID_SIGNATURE, refuse, textAt } from './webhook-fields.ts';
import type { MatchTarget, PropertyTarget, RoutingContext, WebhookRouting } from './webhook-routing.ts';

/** Connections of a Google account: by values that the hub found, then by values that functions and callers store. */
export function addressTargets(address: string): PropertyTarget[] {
  return [
    { property: 'emailAddressHash', value: hashAddress(address) },
    { property: 'metadata.emailAddress', value: address },
    { property: 'metadata.email', value: address },
  ];
}

const KEYS_URL = 'https://www.googleapis.com/oauth2/v3/certs';

const ISSUER = 'https://accounts.google.com';

/**
 * Whether Google signed the token for this webhook. Throws when Google's keys cannot be fetched; a token in another
 * format is refused without them.
 */
export async function isGoogleToken(token: string, context: RoutingContext): Promise<boolean> {
  const findKey: JWTVerifyGetKey = async (header, jws) => {
    const { json } = await context.fetchDocument(KEYS_URL);
    return createLocalJWKSet(json as JSONWebKeySet)(header, jws);
  };
  try {
    await jwtVerify(token, findKey, {
      algorithms: ['RS256'],
      issuer: ISSUER,
      audience: [...context.addresses],
      requiredClaims: ['exp'],
      currentDate: new Date(context.now()),
    });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}

const BEARER = /^bearer\s+(.*)$/is;

/** A push subscription may be configured to authenticate itself; then its token must be valid. */
const signature: SignatureCheck = async ({ headers }, context) => {
  const token = BEARER.exec(headers['authorization'] ?? '')?.[1];
  if (token === undefined) return 'unchecked';
  return (await isGoogleToken(token, context)) ? 'valid' : INVALID_SIGNATURE;
};

/** Pub/Sub wraps Gmail's notification, which only says whose mailbox changed. */
export const googleMailWebhookRouting: WebhookRouting = async (webhook, context) => {
  const refusal = await refuseUnsigned(signature, webhook, context);
  if (refusal) return refusal;
  const notice = Buffer.from(textAt(webhook.body, 'message.data') ?? '', 'base64').toString();
  const emailAddress = textAt(parseJson(notice), 'emailAddress');
  if (emailAddress === undefined)
    return refuse(400, 'The webhook is not a notification of Gmail: it has no email address.');
  const emailAddressHash = hashAddress(emailAddress);
  const payload = { ...fieldsOf(webhook.body), type: '*', emailAddress, emailAddressHash };
  return { kind: 'handled', events: [routedEvent([], addressTargets(emailAddress), payload)], forward: webhook.body };
};

type Headers = Readonly<Record<string, string>>;

const RESOURCE_URI = 'x-goog-resource-uri';

const CALENDAR_OWNER = /\/calendars\/([^/?]+)(?:[/?]|$)/;

/** Notifications of Google's watch channels: everything is in the headers, the body is empty. */
function routeNotice(targets: (headers: Headers) => MatchTarget[]): WebhookRouting {
  return ({ headers }) => {
    const types: MaybeTypes = [headers['x-goog-resource-state']];
    return { kind: 'handled', events: [routedEvent(types, targets(headers), headers)], forward: headers };
  };
}

export const googleWebhookRouting = routeNotice((headers) => [watchedUri(headers)]);

export const googleDriveWebhookRouting = routeNotice((headers) => [
  { property: 'metadata.googleDriveWatchResourceIds', value: headers['x-goog-resource-id'] },
  watchedUri(headers),
]);

export const googleCalendarWebhookRouting = routeNotice((headers) => {
  const owner = calendarOwner(headers[RESOURCE_URI] ?? '');
  return [watchedUri(headers), ...(owner === undefined ? [] : addressTargets(owner))];
});

/** Functions that watch a resource store its address under this name. */
function watchedUri(headers: Headers): MatchTarget {
  return { property: 'metadata.googleCalendarWatchResourceUris', value: headers[RESOURCE_URI] };
}

/** The id of a primary calendar is its owner's address. */
function calendarOwner(uri: string): string | undefined {
  const id = CALENDAR_OWNER.exec(uri)?.[1];
  if (id === undefined) return undefined;
  try {
    const owner = decodeURIComponent(id);
    return owner.includes('@') ? owner : undefined;
  } catch {
    return undefined; // Not an address in Google's format.
  }
}
