import type { ProviderWebhook, WebhookRouting } from './webhook-routing.ts';

const CONNECTION_HEADER = 'x-nango-connection-id';
const TYPE_FIELDS = ['type', 'event', 'event_type', 'topic'];

/** Webhooks of a provider without a routing of its own (webhooks.md 2.5): who sends them names the connection. */
export const genericRouting: WebhookRouting = (webhook) => ({
  kind: 'handled',
  forward: webhook.body,
  events: [
    {
      targets: [{ property: 'connectionId', value: connectionIdOf(webhook) }],
      types: typesOf(fieldsOf(webhook)),
      payload: webhook.body,
    },
  ],
});

function connectionIdOf(webhook: ProviderWebhook): string {
  const body = fieldsOf(webhook);
  const named = [
    webhook.query['nangoConnectionId'],
    webhook.headers[CONNECTION_HEADER],
    body['connectionId'],
    body['nangoConnectionId'],
  ];
  return named.map(textOf).find((id) => id !== '') ?? '';
}

function typesOf(body: Record<string, unknown>): string[] {
  const type = TYPE_FIELDS.map((name) => textOf(body[name])).find((text) => text !== '');
  return type === undefined ? [] : [type];
}

function fieldsOf({ body }: ProviderWebhook): Record<string, unknown> {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
