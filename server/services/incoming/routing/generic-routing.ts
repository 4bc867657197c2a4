import { namedConnection } from './named-connection.ts';
import { textAt } from './webhook-fields.ts';
import type { WebhookRouting } from './webhook-routing.ts';

const TYPE_FIELDS = ['type', 'event', 'event_type', 'topic'];

/** Webhooks of a provider without a routing of its own (webhooks.md 2.5): who sends them names the connection. */
export const genericRouting: WebhookRouting = (webhook) => {
  const { body } = webhook;
  const type = TYPE_FIELDS.map((field) => textAt(body, field)).find((text) => text !== undefined);
  return {
    kind: 'handled',
    forward: body,
    events: [
      {
        targets: [{ property: 'connectionId', value: namedConnection(webhook) }],
        types: type === undefined ? [] : [type],
        payload: body,
      },
    ],
  };
};
