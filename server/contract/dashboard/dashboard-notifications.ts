import { z } from 'zod';
import { done, environmentQuery, isoTime } from './dashboard-lists.ts';

/** The notification centre (ui.md 13.2). No text of it holds a secret, a token, an e-mail address or a payload. */

const notificationKind = z.enum([
  'sign-in',
  'sync',
  'webhook',
  'approval',
  'function',
  'access',
  'update',
  'disk',
  'view',
]);

/** `native`: in the window and from the system; `window`: in the window; `off`: not kept either. */
const notificationChannel = z.enum(['native', 'window', 'off']);

/** What can be done about it, in the order of the buttons; the pages and the desktop know how. */
const notificationAction = z.enum(['reconnect', 'run', 'log', 'replay', 'review', 'code', 'keys', 'data', 'update']);

/** What a button acts on without a page: an approval that is answered, or a sync that runs again. */
const notificationSubject = z.union([
  z.object({ approvalId: z.string() }),
  z.object({ integrationKey: z.string(), connectionId: z.string(), sync: z.string(), variant: z.string() }),
]);

export const notificationRow = z.object({
  id: z.number().int(),
  kind: notificationKind,
  /** One sentence without names of people. */
  title: z.string(),
  /** Why, when that is known. */
  text: z.string().nullable(),
  /** Path of the page below `/app`, from `/`. */
  link: z.string(),
  action: notificationAction,
  /** Null: its page is where something is done about it. */
  subject: notificationSubject.nullable(),
  /** How often it happened since it was over last. */
  count: z.number().int(),
  at: isoTime,
  isRead: z.boolean(),
  /** It needs no attention any more. */
  isOver: z.boolean(),
});

/** Of the last 30 days, at most 200, the newest first. */
export const notificationList = z.object({ data: z.array(notificationRow), unread: z.number().int() });

/** Without ids: all. */
export const readNotificationsBody = z.object({ ids: z.array(z.number().int()).max(200).optional() });

const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Write a time of the day, for example 22:00.');

const filterText = z.string().max(4000).optional();

/** A saved view of the log: operations that end and match its filters make a notification. */
const notifiedView = z.object({
  name: z.string().trim().min(1).max(60),
  /** As they stand in the address of the log; at least one. */
  filter: z
    .object({
      states: filterText,
      types: filterText,
      integrations: filterText,
      connections: filterText,
      syncs: filterText,
      search: filterText,
    })
    .refine((filter) => Object.values(filter).some(Boolean), 'A view without a filter matches every operation.'),
});

export const MOST_NOTIFIED_VIEWS = 20;

export const notificationRules = z.object({
  kinds: z.record(notificationKind, notificationChannel),
  /** A notification of a sync is made after this many failures in a row. */
  syncFailures: z.number().int().min(1).max(100),
  /** In the time of this computer: no native ones meanwhile. */
  quietHours: z.object({ from: clockTime, to: clockTime }).nullable(),
  /** Each under a name of its own. */
  views: z
    .array(notifiedView)
    .max(MOST_NOTIFIED_VIEWS)
    .refine((views) => new Set(views.map(({ name }) => name)).size === views.length, 'Two views have the same name.'),
});

/** The version of the desktop app that is ready to be installed, null when there is none; only the shell knows of it. */
export const updateReadyBody = z.object({
  version: z
    .string()
    .regex(/^[\w.+-]{1,64}$/)
    .nullable(),
});

/**
 * Something happened, or the cause of a notification is over. `isNative`: the rules want a notification of the system
 * for it now; never for one that was read or is over.
 */
export const notificationEvent = z.object({ notification: notificationRow, isNative: z.boolean() });

export const notificationsRouteShapes = {
  'GET /api/v1/notifications': {
    meaning: 'What happened in the last 30 days that concerns a person; one for each cause.',
    query: environmentQuery,
    response: notificationList,
  },
  'POST /api/v1/notifications/read': {
    meaning: 'Marks some or all as read.',
    query: environmentQuery,
    body: readNotificationsBody,
    response: done,
  },
  'POST /api/v1/notifications/update': {
    meaning: 'The desktop app has a new version ready.',
    body: updateReadyBody,
    response: done,
  },
  'GET /api/v1/notification-rules': {
    meaning: 'What is told, and how.',
    query: environmentQuery,
    response: notificationRules,
  },
  'PUT /api/v1/notification-rules': {
    meaning: 'Replaces them.',
    query: environmentQuery,
    body: notificationRules,
    response: notificationRules,
  },
};

export type NotificationKind = z.infer<typeof notificationKind>;
export type NotificationChannel = z.infer<typeof notificationChannel>;
export type NotificationAction = z.infer<typeof notificationAction>;
export type NotificationSubject = z.infer<typeof notificationSubject>;
export type NotificationRow = z.infer<typeof notificationRow>;
export type NotifiedView = z.infer<typeof notifiedView>;
export type NotificationRules = z.infer<typeof notificationRules>;
export type NotificationEvent = z.infer<typeof notificationEvent>;
