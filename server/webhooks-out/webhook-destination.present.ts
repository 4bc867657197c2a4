import type { WebhookDestination } from './webhook-destinations.ts';

/** An entry of `GET /environment/webhook-destinations`. */
export function presentWebhookDestination({ id, name, url, isEnabled, types, integrations }: WebhookDestination) {
  return { id, name, url, is_enabled: isEnabled, types, integrations };
}
