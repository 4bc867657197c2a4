import { matching, routeBody, typeAt } from './body-routing.ts';

export const microsoftTeamsWebhookRouting = routeBody({
  types: typeAt('type'),
  targets: matching('channelData.tenant.id', 'tenantId'),
});
