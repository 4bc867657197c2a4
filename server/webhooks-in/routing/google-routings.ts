import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { hashAddress } from '../../platform/lib/address-hash.ts';
import { parseJson } from '../../platform/lib/parse-json.ts';
import { type MaybeTypes, routedEvent } from './body-routing.ts';
import { isSameText, refuseUnsigned, type SignatureCheck, secretHeader, webhookSecret } from './signature-checks.ts';
import {
  fieldsOf,
  INVALID_SIGNATURE,
  type MatchTarget,
  MISSING_SIGNATURE,
  type PropertyTarget,
  type RoutingContext,
  refuse,
  textAt,
  type WebhookRouting,
} from './webhook-routing.ts';

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
 * The account that Google signed a token for this webhook for; undefined for another token. Throws when Google's keys
 * cannot be fetched; a token in another format is refused without them.
 */
export async function googleAccount(token: string, context: RoutingContext): Promise<string | undefined> {
  const findKey: JWTVerifyGetKey = async (header, jws) => {
    const { json } = await context.fetchDocument(KEYS_URL);
    return createLocalJWKSet(json as JSONWebKeySet)(header, jws);
  };
  try {
    const { payload } = await jwtVerify(token, findKey, {
      algorithms: ['RS256'],
      issuer: ISSUER,
      audience: [...context.addresses],
      requiredClaims: ['exp'],
      currentDate: new Date(context.now()),
    });
    const { email, email_verified: isVerified } = payload;
    return typeof email === 'string' && isVerified === true ? email : '';
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

const BEARER = /^bearer\s+(.*)$/is;

/**
 * A push subscription may be configured to authenticate itself as a service account. The webhook secret of the
 * integration is the e-mail address of that account: then the token is required, and must be for it. Without one a token
 * proves little, because every project at Google can get one for any address.
 */
const signature: SignatureCheck = async ({ headers }, context) => {
  const { webhookSecret: account } = context.integration.app;
  const token = BEARER.exec(headers['authorization'] ?? '')?.[1];
  if (token === undefined) return account ? MISSING_SIGNATURE : 'unchecked';
  const signedFor = await googleAccount(token, context);
  if (signedFor === undefined) return INVALID_SIGNATURE;
  if (!account) return 'unchecked';
  return isSameText(signedFor.toLowerCase(), account.trim().toLowerCase()) ? 'valid' : INVALID_SIGNATURE;
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

/** The token with which a channel was created; Google sends it with every notification. */
const channelToken = secretHeader({ header: 'x-goog-channel-token', secrets: webhookSecret, when: 'secret-is-set' });

/** Notifications of Google's watch channels: everything is in the headers, the body is empty. */
function routeNotice(targets: (headers: Headers) => MatchTarget[]): WebhookRouting {
  return async (webhook, context) => {
    const refusal = await refuseUnsigned(channelToken, webhook, context);
    if (refusal) return refusal;
    const { headers } = webhook;
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
