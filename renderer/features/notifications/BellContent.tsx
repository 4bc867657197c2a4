import { Button } from '@mantine/core';
import { Link } from 'react-router';
import type { NotificationRow } from '../../api/contract.ts';
import { useReadNotifications } from '../../api/notifications/notifications-mutations.ts';
import { paths } from '../../lib/paths.ts';
import { NotificationList } from './NotificationList.tsx';

interface BellContentProps {
  env: string;
  rows: readonly NotificationRow[];
  unread: number;
  onClose: () => void;
}

/** The most notifications in the popover; a link below leads to all. */
const MAX_SHOWN = 8;

/** The content of the bell's popover. */
export function BellContent({ env, rows, unread, onClose }: BellContentProps) {
  const read = useReadNotifications();
  return (
    <>
      <div className="row between line-below" style={{ minHeight: 44, padding: '4px 8px 4px 16px' }}>
        <h2>Notifications</h2>
        {unread > 0 && (
          <Button size="xs" variant="subtle" loading={read.isPending} onClick={() => read.mutate()}>
            Mark all as read
          </Button>
        )}
      </div>
      <div className="scroll" style={{ maxHeight: 'min(420px, 60vh)' }}>
        {rows.length === 0 ? (
          <p className="soft" style={{ padding: '24px 16px', textAlign: 'center' }}>
            Nothing needed your attention in the last 30 days.
          </p>
        ) : (
          <NotificationList rows={rows.slice(0, MAX_SHOWN)} onFollow={onClose} />
        )}
      </div>
      <div className="row between line-above" style={{ padding: '8px 16px' }}>
        <Link to={paths.notifications(env)} onClick={onClose}>
          All notifications and rules
        </Link>
      </div>
    </>
  );
}
