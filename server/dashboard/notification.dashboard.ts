import { isoDate } from '../platform/lib/dates.ts';
import type { DashboardParts } from './api/dashboard-parts.ts';
import type { DashboardHandlers } from './api/dashboard-route.ts';
import type {
  NotificationAction,
  NotificationKind,
  NotificationRow,
  NotificationSubject,
} from './dashboard-notifications.contract.ts';

type Keys =
  | 'GET /api/v1/notifications'
  | 'POST /api/v1/notifications/read'
  | 'POST /api/v1/notifications/update'
  | 'GET /api/v1/notification-rules'
  | 'PUT /api/v1/notification-rules';

export function notificationRoutes({
  notificationCentre: centre,
}: Pick<DashboardParts, 'notificationCentre'>): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/notifications': async ({ environment }) => {
      const { notifications, unread } = await centre.list(environment.id);
      return { data: notifications.map(viewNotification), unread };
    },

    'POST /api/v1/notifications/read': async ({ environment, body }) => {
      await centre.markRead(environment.id, body.ids);
      return { success: true };
    },

    'POST /api/v1/notifications/update': async ({ body }) => {
      await centre.notifyUpdate(body.version);
      return { success: true };
    },

    'GET /api/v1/notification-rules': ({ environment }) => centre.rules(environment.id),

    'PUT /api/v1/notification-rules': async ({ environment, body }) => {
      await centre.changeRules(environment.id, body);
      return body;
    },
  };
}

type Stored = Awaited<ReturnType<DashboardParts['notificationCentre']['list']>>['notifications'][number];

export function viewNotification(stored: Stored): NotificationRow {
  const { id, action, at, cause, count, kind, link, overAt, readAt, text, title } = stored;
  return {
    id,
    kind: kind as NotificationKind,
    title,
    text,
    link,
    action: action as NotificationAction,
    subject: subjectOf(cause),
    count,
    at: isoDate(at),
    isRead: readAt !== null,
    isOver: overAt !== null,
  };
}

/**
 * What a button without a page acts on, read from the cause (written by `notices.ts`). Null when the cause names none.
 */
function subjectOf(cause: string): NotificationSubject | null {
  const [kind] = cause.split(' ', 1);
  const named = cause.slice(kind?.length).trim();
  if (kind === 'approval') return { approvalId: named };
  if (kind !== 'sync') return null;
  const [, sync = ''] = JSON.parse(named) as string[];
  return { cause, sync };
}
