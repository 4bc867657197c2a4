import { routeBody, typeAt } from './body-routing.ts';
import { checkSignature, header, type SignatureCheck, webhookSecret } from './signature-checks.ts';
import { isRsaSignature, readPublicKey } from './signatures.ts';
import { refuse, textAt } from './webhook-fields.ts';
import type { MatchTarget } from './webhook-routing.ts';

const rsa = checkSignature({
  find: header('x-wh-signature'),
  secrets: webhookSecret,
  when: 'secret-is-set',
  fits: ({ sent, secret, webhook }) => {
    const key = readPublicKey(secret);
    return key !== undefined && isRsaSignature(key, sent, webhook.rawBody);
  },
});

/** The webhook secret is the public key from HighLevel's documentation. */
const signature: SignatureCheck = (webhook, context) => {
  const { webhookSecret: pem } = context.integration.app;
  return pem && !readPublicKey(pem)
    ? refuse(400, 'The webhook secret of the integration is not a public key. Enter the PEM that HighLevel publishes.')
    : rsa(webhook, context);
};

export const highlevelWebhookRouting = routeBody({ signature, types: typeAt('type'), targets: accountOf });

/** A location, or a whole agency; events of the app itself concern every account. */
function accountOf(body: unknown): MatchTarget[] {
  const property = ['locationId', 'companyId'].find((name) => textAt(body, name) !== undefined);
  return [property === undefined ? 'all' : { property, value: textAt(body, property) }];
}
