import { matchingAll, routeBody, typeAt } from './body-routing.ts';

/** Nothing in the webhook tells the account. */
export const affinityWebhookRouting = routeBody({ types: typeAt('type'), targets: matchingAll });
