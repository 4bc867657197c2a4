import type { ShownWebhookType } from '../../api/contract.ts';
import { DELIVERY_LOOK } from '../../lib/status.ts';

export const DELIVERY_STATE_OPTIONS = Object.entries(DELIVERY_LOOK).map(([value, look]) => ({
  value,
  label: look.label,
}));

const TYPES: Record<ShownWebhookType, string> = {
  auth: 'Sign-ins and refreshes',
  sync: 'Syncs',
  async_action: 'Background actions',
  forward: 'Forwarded from a provider',
};

const SHORT: Record<ShownWebhookType, string> = {
  auth: 'Sign-in',
  sync: 'Sync',
  async_action: 'Action',
  forward: 'Forwarded',
};

/** Short labels for one webhook. */
export const webhookTypeName = (type: ShownWebhookType): string => SHORT[type];

export const WEBHOOK_TYPE_OPTIONS = Object.entries(TYPES).map(([value, label]) => ({
  value: value as ShownWebhookType,
  label,
}));
