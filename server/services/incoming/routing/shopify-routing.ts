import { routeBody, typeIn } from './body-routing.ts';
import { missingHeader } from './refusals.ts';
import { anyAppSecret, hmacHeader } from './signature-checks.ts';

const SHOP_HEADER = 'x-shopify-shop-domain';

export const shopifyWebhookRouting = routeBody({
  requires: ({ headers }) => (headers[SHOP_HEADER] ? undefined : missingHeader(SHOP_HEADER)),
  // Webhooks of an app are signed with its client secret, those made in a shop's settings with one of their own.
  signature: hmacHeader({
    header: 'x-shopify-hmac-sha256',
    encoding: 'base64',
    secrets: anyAppSecret,
    when: 'secret-is-set',
  }),
  types: typeIn('x-shopify-topic'),
  targets: (_body, { headers }) => [{ property: 'subdomain', value: headers[SHOP_HEADER]?.split('.')[0] }],
});
