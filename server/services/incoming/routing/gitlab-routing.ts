import { matchingId, routeBody, typeIn } from './body-routing.ts';
import { MISSING_CONNECTION_ID } from './refusals.ts';
import {
  connectionSecrets,
  FIVE_MINUTES_MS,
  type SignatureCheck,
  secretHeader,
  standardHeaders,
} from './signature-checks.ts';
import { connectionIdOf } from './webhook-fields.ts';

const secrets = connectionSecrets(connectionIdOf);
const token = secretHeader({ header: 'x-gitlab-token', secrets, when: 'secret-is-set' });
const signed = standardHeaders({ names: ['webhook'], secrets, when: 'secret-is-set', toleranceMs: FIVE_MINUTES_MS });

/** A webhook of GitLab has a signing secret or a plain token; which of them, its headers tell. */
const signature: SignatureCheck = (webhook, context) =>
  (webhook.headers['webhook-signature'] ? signed : token)(webhook, context);

export const gitlabWebhookRouting = routeBody({
  requires: (webhook) => (connectionIdOf(webhook) ? undefined : MISSING_CONNECTION_ID),
  signature,
  types: typeIn('x-gitlab-event'),
  targets: matchingId(connectionIdOf),
});
