import { createHash } from 'node:crypto';
import { matching, routeBody, typeAt } from './body-routing.ts';
import type { SignatureCheck } from './signature-checks.ts';
import { hmacText, isSameText } from './signatures.ts';
import { INVALID_SIGNATURE, MISSING_SIGNATURE, textAt } from './webhook-fields.ts';

/**
 * The webhook contains the address of the key, and anyone may have sent it, so only the provider's hosts are allowed.
 */
const KEY_HOSTS = '.myconnectwise.net';

const signature: SignatureCheck = async (webhook, context) => {
  const sent = webhook.headers['x-content-signature'];
  if (!sent) return MISSING_SIGNATURE;
  const keyUrl = textAt(webhook.body, 'Metadata.key_url');
  if (keyUrl === undefined || !isKeyAddress(keyUrl)) return INVALID_SIGNATURE;
  const signingKey = textAt((await context.fetchDocument(keyUrl)).json, 'signing_key');
  if (signingKey === undefined) return INVALID_SIGNATURE;
  const key = createHash('sha256').update(signingKey).digest();
  return isSameText(sent, hmacText({ encoding: 'base64' }, key, webhook.rawBody)) ? 'valid' : INVALID_SIGNATURE;
};

export const connectwisePsaWebhookRouting = routeBody({
  signature,
  types: typeAt('Type'),
  targets: matching('ProductInstanceId', 'metadata.productInstanceId'),
});

function isKeyAddress(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'https:' && url.port === '' && url.hostname.endsWith(KEY_HOSTS);
}
