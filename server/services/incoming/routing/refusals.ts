import type { RefusedWebhook } from './webhook-routing.ts';

export const MISSING_SIGNATURE = refuse(401, 'Missing webhook signature');
export const INVALID_SIGNATURE = refuse(401, 'Invalid webhook signature');
export const MISSING_CONNECTION_ID = refuse(400, 'Webhook payload is missing nangoConnectionId');

export function refuse(status: RefusedWebhook['status'], message: string): RefusedWebhook {
  return { kind: 'refused', status, message };
}

export function missingHeader(name: string): RefusedWebhook {
  return refuse(400, `The webhook has no header ${name}.`);
}
