import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { NotificationRules } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';

/** Marks the given notifications, or all of them, as read. */
export function useReadNotifications() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ids: number[] | undefined) =>
      request('POST /api/v1/notifications/read', { query: { env }, body: ids === undefined ? {} : { ids } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.notifications(env) }),
  });
}

export function useChangeRules() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NotificationRules) => request('PUT /api/v1/notification-rules', { query: { env }, body }),
    onSuccess: (rules) => client.setQueryData(keys.notificationRules(env), rules),
  });
}
