import { matching, routeBody, typeAt } from './body-routing.ts';
import { hmacHeader, webhookSecret } from './signature-checks.ts';
import { listAt } from './webhook-fields.ts';

export const attioWebhookRouting = routeBody({
  signature: hmacHeader({
    header: 'x-attio-signature',
    encoding: 'hex',
    secrets: webhookSecret,
    when: 'secret-is-set',
  }),
  items: (body) => listAt(body, 'events'),
  types: typeAt('event_type'),
  targets: matching('id.workspace_id', 'workspace_id'),
});
