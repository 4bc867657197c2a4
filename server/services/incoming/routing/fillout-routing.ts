import { matching, routeBody, typeAt } from './body-routing.ts';
import { eachOf } from './webhook-fields.ts';

export const filloutWebhookRouting = routeBody({
  items: eachOf,
  types: typeAt('type'),
  targets: matching('formId', 'metadata.formId'),
});
