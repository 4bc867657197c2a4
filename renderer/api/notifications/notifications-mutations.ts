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
  const queryKey = keys.notificationRules(env);
  return useMutation({
    // One after the other: each body has all rules, and the last one is to win.
    scope: { id: queryKey.join(' ') },
    // At once: the next change begins with the rules of this one, which may still be on its way.
    onMutate: (rules) => client.setQueryData(queryKey, rules),
    mutationFn: (body: NotificationRules) => request('PUT /api/v1/notification-rules', { query: { env }, body }),
    onError: () => client.invalidateQueries({ queryKey }),
  });
}
