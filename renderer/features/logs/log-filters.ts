import { OPERATION_LOOK } from '../../lib/status.ts';

export const STATE_OPTIONS = Object.entries(OPERATION_LOOK).map(([value, look]) => ({ value, label: look.label }));

const TYPES: [value: string, label: string][] = [
  ['sync', 'Syncs'],
  ['action', 'Actions'],
  ['proxy', 'Proxy calls'],
  ['auth', 'Sign-ins and refreshes'],
  ['webhook', 'Webhooks'],
  ['events', 'Event handlers'],
  ['deploy', 'Deploys'],
  ['function', 'Invocations'],
];

/** Groups; a single `group:action` still works in the address. */
export const TYPE_OPTIONS = TYPES.map(([value, label]) => ({ value, label }));
