import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useReadNotifications } from '../../api/notifications/notifications-mutations.ts';
import { notificationsQueryOptions } from '../../api/notifications/notifications-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { PageSkeleton } from '../../components/page/PageSkeleton.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { NotificationList } from './NotificationList.tsx';
import { NotificationRulesForm } from './NotificationRulesForm.tsx';
import classes from './Notifications.module.css';

/** Notifications of the last 30 days, and the rules for notifying. */
export function NotificationPage() {
  const env = useEnv();
  const list = useQuery(notificationsQueryOptions(env));
  const read = useReadNotifications();
  usePage([{ label: 'Notifications' }]);
  if (list.error && !list.data)
    return (
      <>
        <PageHeader title="Notifications" />
        <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />
      </>
    );
  if (!list.data) return <PageSkeleton />;
  const { data, unread } = list.data;
  return (
    <>
      <PageHeader title="Notifications" aside={<span className="soft">{unread > 0 ? `${unread} not read` : ''}</span>}>
        {unread > 0 && (
          <Button variant="default" loading={read.isPending} onClick={() => read.mutate()}>
            Mark all as read
          </Button>
        )}
      </PageHeader>
      <div className={`grid gap-16 ${classes['page']}`}>
        <section className="card" style={{ minWidth: 0 }} aria-label="Notifications of the last 30 days">
          {data.length === 0 ? (
            <EmptyState
              title="Nothing needs your attention"
              text="Connections that need a new sign-in, failing syncs, webhooks that your app did not accept, and questions are listed here for 30 days."
            />
          ) : (
            <NotificationList rows={data} />
          )}
        </section>
        <NotificationRulesForm />
      </div>
    </>
  );
}
