import { FUNCTION_LOOK } from './status.ts';

/** What the playground calls the types of functions. */
export const PLAYGROUND_KINDS = { sync: 'sync', action: 'action', 'on-event': 'event' } as const;

/** Options of the filters for functions, in the order of the menus. */
export const FUNCTION_TYPE_OPTIONS = ['sync', 'action', 'on-event'].map((value) => ({ value, label: value }));
export const FUNCTION_STATUS_OPTIONS = Object.entries(FUNCTION_LOOK).map(([value, { label }]) => ({ value, label }));
