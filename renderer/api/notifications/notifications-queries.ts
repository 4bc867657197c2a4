import { routeQuery } from '../route-query.ts';

/** Notifications of the last 30 days, newest first, and the number of unread ones. */
export const notificationsQueryOptions = (env: string) => routeQuery(env, 'GET /api/v1/notifications', {});

export const notificationRulesQueryOptions = (env: string) => routeQuery(env, 'GET /api/v1/notification-rules', {});
