import { matching, routeBody, typeAt } from './body-routing.ts';

/** Salesforce sends what its developer's own code there composes. */
export const salesforceWebhookRouting = routeBody({
  types: typeAt('nango.eventType'),
  targets: matching('nango.connectionId', 'connectionId'),
});
