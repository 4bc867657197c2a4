import type { NotificationRow } from './dashboard-notifications.ts';

/** Values that pages show too. Plain code: beside a schema they would bring the validator into every page, 31 kB. */

/** Stands for "no colour chosen" as well: it is the reference's default (http-api.md 6), and the page then uses its own. */
export const UNCHOSEN_PRIMARY = '#00B2E3';

/** How an app looks in lists. */
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

/** The words of the buttons. */
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
