import { noType, routeBody } from './body-routing.ts';
import { MISSING_SIGNATURE } from './refusals.ts';

const TOKEN_HEADER = 'x-streak-webhook-token';

/** The token tells the webhook, and is all that shows where it comes from. */
export const streakWebhookRouting = routeBody({
  requires: ({ headers }) => (headers[TOKEN_HEADER] ? undefined : MISSING_SIGNATURE),
  types: noType,
  targets: (_body, { headers }) => [{ property: 'streakWebhookToken', value: headers[TOKEN_HEADER] }],
});
