import { routeBody, typeAt } from './body-routing.ts';
import { namedOrMatching } from './named-connection.ts';
import { checkSignature, type SentSignature, webhookSecret } from './signature-checks.ts';
import { hmacText, isSameText } from './signatures.ts';
import type { ProviderWebhook } from './webhook-routing.ts';

const SIGNATURE_HEADER = /^x-docusign-signature-\d+$/;

/** An account may have several keys; each one adds its own signature header, numbered from 1. */
export const docusignWebhookRouting = routeBody({
  signature: checkSignature({
    find: (webhook) => signaturesOf(webhook)[0],
    secrets: webhookSecret,
    when: 'secret-is-set',
    fits: hasSignatureOf,
  }),
  types: typeAt('event'),
  targets: namedOrMatching('data.accountId', 'accountId'),
});

function signaturesOf({ headers }: ProviderWebhook): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (SIGNATURE_HEADER.test(name) ? [value] : []));
}

function hasSignatureOf({ secret, webhook }: SentSignature): boolean {
  const expected = hmacText({ encoding: 'base64' }, secret, webhook.rawBody);
  return signaturesOf(webhook).some((signature) => isSameText(signature, expected));
}
