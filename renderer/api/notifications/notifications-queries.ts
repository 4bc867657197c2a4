import { queryOptions } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';

/** What happened in the last 30 days, the newest first, and how many are unread. */
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
