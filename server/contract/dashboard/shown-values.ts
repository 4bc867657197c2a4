import type { NotificationRow } from '../../dashboard/dashboard-notifications.contract.ts';

/**
 * Values that pages use too. They are outside the schema files, because those would add the validator (31 kB) to every
 * page.
 */

/**
 * Also means "no colour chosen": it is the reference's default (http-api.md 6), and the page then uses its own colour.
 */
export const UNCHOSEN_PRIMARY = '#00B2E3';

/** Icons of apps in lists. */
export const APP_ICONS = [
  'app',
  'robot',
  'terminal',
  'browser',
  'mail',
  'notes',
  'chart',
  'cart',
  'home',
  'phone',
] as const;

/** Labels of the buttons. */
export const NOTIFICATION_ACTIONS: Record<NonNullable<NotificationRow['action']>, string> = {
  reconnect: 'Reconnect',
  run: 'Run again',
  log: 'Open log',
  replay: 'Replay',
  review: 'Review',
  code: 'Open code',
  keys: 'Review',
  data: 'Free space',
  update: 'Open settings',
};
