import { parseJson } from '../../../lib/parse-json.ts';
import { hmacText, isSameText, prefixedHash } from './signatures.ts';
import type { ProviderWebhook } from './webhook-routing.ts';

/**
 * Some providers sign their JSON, and say so in JavaScript: `JSON.stringify(body)`. It is mostly what they send; where
 * it is not (spaces, escapes, `1.0`), the one or the other fits. Both are under the secret.
 */
export function isBodyHmac(sent: string, secret: string, webhook: ProviderWebhook): boolean {
  const forms = [webhook.rawBody, JSON.stringify(webhook.body)];
  return forms.some((form) => isSameText(sent, hmacText({ encoding: 'hex' }, secret, form)));
}

/**
 * A hash of secret and body, which whoever saw one can continue (length extension). The continuation holds bytes that
 * are no JSON, so the raw body counts only when it is JSON, whatever its content type says.
 */
export function isPrefixedHash(
  algorithm: 'sha1' | 'sha256',
  sent: string,
  secret: string,
  { rawBody, body }: ProviderWebhook,
): boolean {
  const isJson = parseJson(rawBody.toString()) !== undefined;
  const forms = [JSON.stringify(body), ...(isJson ? [rawBody] : [])];
  return forms.some((form) => isSameText(sent, prefixedHash(algorithm, secret, form)));
}
