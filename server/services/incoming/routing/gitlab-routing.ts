import { matchingId, routeBody, typeIn } from './body-routing.ts';
import {
  connectionSecrets,
  FIVE_MINUTES_MS,
  type SignatureCheck,
  secretHeader,
  standardHeaders,
} from './signature-checks.ts';
import { connectionIdOf, MISSING_CONNECTION_ID } from './webhook-fields.ts';

const secrets = connectionSecrets(connectionIdOf);
const token = secretHeader({ header: 'x-gitlab-token', secrets, when: 'secret-is-set' });
const signed = standardHeaders({ names: ['webhook'], secrets, when: 'secret-is-set', toleranceMs: FIVE_MINUTES_MS });

/** A webhook of GitLab has a signing secret, a plain token, or both; the metadata holds one of them. */
const signature: SignatureCheck = async (webhook, context) => {
  const { 'webhook-signature': sent, 'x-gitlab-token': plain } = webhook.headers;
  if (!sent) return token(webhook, context);
  const result = await signed(webhook, context);
  return typeof result !== 'string' && plain ? token(webhook, context) : result;
};

export const gitlabWebhookRouting = routeBody({
  requires: (webhook) => (connectionIdOf(webhook) ? undefined : MISSING_CONNECTION_ID),
  signature,
  types: typeIn('x-gitlab-event'),
  targets: matchingId(connectionIdOf),
});
