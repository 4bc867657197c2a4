import type { WebhookType } from '../../api/contract.ts';
import { DELIVERY_LOOK } from '../../lib/status.ts';

export const STATE_OPTIONS = Object.entries(DELIVERY_LOOK).map(([value, look]) => ({ value, label: look.label }));

const TYPES: Record<WebhookType, string> = {
  auth: 'Sign-ins and refreshes',
  sync: 'Syncs',
  async_action: 'Background actions',
  forward: 'Passed on from a provider',
};

export const TYPE_OPTIONS = Object.entries(TYPES).map(([value, label]) => ({ value: value as WebhookType, label }));
