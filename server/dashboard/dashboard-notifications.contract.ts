import { z } from 'zod';
import { done, environmentQuery, isoTime } from '../contract/dashboard/dashboard-lists.ts';

/** The notification centre (ui.md 13.2). No text contains a secret, a token, an e-mail address or a payload. */

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
  'drift',
  'destination',
  'snapshot',
]);

/** `native`: in the window and from the operating system. `window`: in the window. `off`: not stored at all. */
const notificationChannel = z.enum(['native', 'window', 'off']);

/** Possible actions, in the order of the buttons. The pages and the desktop app carry them out. */
const notificationAction = z.enum(['reconnect', 'run', 'log', 'replay', 'review', 'code', 'keys', 'data', 'update']);

/** What a button acts on without opening a page: an approval to answer, or all syncs that fail for one cause. */
const notificationSubject = z.union([
  z.object({ approvalId: z.string() }),
  z.object({ cause: z.string(), sync: z.string() }),
]);

export const notificationRow = z.object({
  id: z.number().int(),
  kind: notificationKind,
  /** One sentence without names of people. */
  title: z.string(),
  /** The reason, if known. */
  text: z.string().nullable(),
  /** Path of the page below `/app`, with a leading `/`. */
  link: z.string(),
  action: notificationAction,
  /** Null: the person acts on the linked page. */
  subject: notificationSubject.nullable(),
  /** Number of occurrences since the cause was last over. */
  count: z.number().int(),
  at: isoTime,
  isRead: z.boolean(),
  /** Whether the cause is over. */
  isOver: z.boolean(),
});

/** Notifications of the last 30 days, at most 200, the newest first. */
export const notificationList = z.object({ data: z.array(notificationRow), unread: z.number().int() });

/** Without ids all are marked as read. */
export const readNotificationsBody = z.object({ ids: z.array(z.number().int()).max(200).optional() });

const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Write a time of the day, for example 22:00.');

const filterText = z.string().max(4000).optional();

/** A saved view of the log. Finished operations that match its filters create a notification. */
const notifiedView = z.object({
  name: z.string().trim().min(1).max(60),
  /** Filters in the form of the log's address; at least one. */
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

export const MAX_NOTIFIED_VIEWS = 20;

export const notificationRules = z.object({
  kinds: z.record(notificationKind, notificationChannel),
  /** Number of failures in a row after which a sync creates a notification. */
  syncFailures: z.number().int().min(1).max(100),
  /** Local time of this computer. No native notifications in this period. */
  quietHours: z.object({ from: clockTime, to: clockTime }).nullable(),
  /** Whether a native notification makes a sound. */
  hasSound: z.boolean().default(false),
  /** The names must be different. */
  views: z
    .array(notifiedView)
    .max(MAX_NOTIFIED_VIEWS)
    .refine((views) => new Set(views.map(({ name }) => name)).size === views.length, 'Two views have the same name.'),
});

/** The version of the desktop app that is ready to install; null when there is none. Only the shell knows it. */
export const updateReadyBody = z.object({
  version: z
    .string()
    .regex(/^[\w.+-]{1,64}$/)
    .nullable(),
});

/**
 * A notification was created or changed, or its cause is over. `isNative`: the rules ask for a notification of the
 * operating system now; never true for one that was read or is over. `hasSound`: it makes a sound.
 */
export const notificationEvent = z.object({
  notification: notificationRow,
  isNative: z.boolean(),
  hasSound: z.boolean(),
});

export const notificationsRouteShapes = {
  'GET /api/v1/notifications': {
    meaning: 'Notifications of the last 30 days; one for each cause.',
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
    meaning: 'Reports that the desktop app has a new version ready.',
    body: updateReadyBody,
    response: done,
  },
  'GET /api/v1/notification-rules': {
    meaning: 'Which notifications are shown, and how.',
    query: environmentQuery,
    response: notificationRules,
  },
  'PUT /api/v1/notification-rules': {
    meaning: 'Replaces the rules of notifications.',
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
