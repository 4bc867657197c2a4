import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { NotificationRules } from '../contract.ts';
import { useSend } from '../use-change.ts';
import { useEnv } from '../use-env.ts';
import { notificationRulesQueryOptions } from './notifications-queries.ts';

/** Marks the given notifications, or all of them, as read. */
export function useReadNotifications() {
  const send = useSend();
  return useMutation({
    mutationFn: (ids: number[] | undefined) =>
      send('POST /api/v1/notifications/read', { body: ids === undefined ? {} : { ids } }),
  });
}

export function useChangeRules() {
  const send = useSend();
  const env = useEnv();
  const client = useQueryClient();
  const { queryKey } = notificationRulesQueryOptions(env);
  return useMutation({
    // One after the other: each body has all rules, and the last one is to win.
    scope: { id: JSON.stringify(queryKey) },
    // At once: the next change begins with the rules of this one, which may still be on its way.
    onMutate: (rules) => client.setQueryData(queryKey, rules),
    mutationFn: (body: NotificationRules) => send('PUT /api/v1/notification-rules', { body }),
    onError: () => client.invalidateQueries({ queryKey }),
  });
}
