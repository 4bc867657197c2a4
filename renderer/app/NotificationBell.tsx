import { ActionIcon, Popover } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { notificationsQueryOptions } from '../api/notifications/notifications-queries.ts';
import { useNotificationSound } from '../api/notifications/use-notification-sound.ts';
import classes from './NotificationBell.module.css';

/** Loaded at the first click, not with the first view. */
const BellContent = lazy(async () => ({
  default: (await import('../features/notifications/BellContent.tsx')).BellContent,
}));

/** Notifications, on every screen. */
export function NotificationBell({ env }: { env: string }) {
  const [isOpen, setOpen] = useState(false);
  useNotificationSound();
  const { data } = useQuery(notificationsQueryOptions(env));
  const unread = data?.unread ?? 0;
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      width={420}
      trapFocus
      returnFocus
      classNames={{ dropdown: classes['dropdown'] ?? '' }}
    >
      <Popover.Target>
        <ActionIcon
          size={32}
          aria-label={unread > 0 ? `Notifications, ${unread} not read` : 'Notifications'}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <span className={`grid ${classes['bell']}`} data-unread={unread > 0 || undefined}>
            <IconBell size={16} stroke={1.6} aria-hidden />
          </span>
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="Notifications">
        <Suspense fallback={null}>
          <BellContent env={env} rows={data?.data ?? []} unread={unread} onClose={() => setOpen(false)} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
