import { queryOptions } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';

/** Notifications of the last 30 days, newest first, and the number of unread ones. */
export const notificationsQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.notifications(env),
    queryFn: ({ signal }) => request('GET /api/v1/notifications', { query: { env } }, signal),
  });

export const notificationRulesQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.notificationRules(env),
    queryFn: ({ signal }) => request('GET /api/v1/notification-rules', { query: { env } }, signal),
  });
