import { hashAddress } from '../../../lib/address-hash.ts';
import { parseJson } from '../../../lib/parse-json.ts';
import { routedEvent } from './body-routing.ts';
import { addressTargets } from './google-addresses.ts';
import { isGoogleToken } from './google-token.ts';
import { INVALID_SIGNATURE, refuse } from './refusals.ts';
import { refuseUnsigned, type SignatureCheck } from './signature-checks.ts';
import { fieldsOf, textAt } from './webhook-fields.ts';
import type { WebhookRouting } from './webhook-routing.ts';

const BEARER = /^bearer\s+(.*)$/i;

/** A push subscription may be told to authenticate itself; then it must. */
const signature: SignatureCheck = async ({ headers }, context) => {
  const token = BEARER.exec(headers['authorization'] ?? '')?.[1];
  return token === undefined || (await isGoogleToken(token, context)) ? undefined : INVALID_SIGNATURE;
};

/** Pub/Sub wraps the notice of Gmail, which says whose mailbox changed and no more. */
export const googleMailWebhookRouting: WebhookRouting = async (webhook, context) => {
  const refusal = await refuseUnsigned(signature, webhook, context);
  if (refusal) return refusal;
  const notice = Buffer.from(textAt(webhook.body, 'message.data') ?? '', 'base64').toString();
  const emailAddress = textAt(parseJson(notice), 'emailAddress');
  if (emailAddress === undefined) return refuse(400, 'The webhook is no notice of Gmail: it names no email address.');
  const emailAddressHash = hashAddress(emailAddress);
  const payload = { ...fieldsOf(webhook.body), type: '*', emailAddress, emailAddressHash };
  return { kind: 'handled', events: [routedEvent([], addressTargets(emailAddress), payload)], forward: webhook.body };
};
