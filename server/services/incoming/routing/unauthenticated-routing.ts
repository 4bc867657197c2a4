import { matching, routeBody, typeAt } from './body-routing.ts';

export const unauthenticatedWebhookRouting = routeBody({ types: typeAt('type'), targets: matching('connectionId') });
