import { Box, Button } from '@mantine/core';
import {
  IconAlertCircleFilled,
  IconAlertTriangleFilled,
  IconCircleCheckFilled,
  IconDatabaseExport,
  IconDownload,
  IconKey,
  IconListSearch,
  IconShieldCheck,
} from '@tabler/icons-react';
import { Link } from 'react-router';
import { useActOnCause } from '../../api/connections/use-sync-actions.ts';
import { NOTIFICATION_ACTIONS, type NotificationKind, type NotificationRow } from '../../api/contract.ts';
import { useReadNotifications } from '../../api/notifications/notifications-mutations.ts';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import classes from './Notifications.module.css';

const ICONS: Record<NotificationKind, { icon: typeof IconKey; tone: 'bad' | 'warn' | 'run' }> = {
  'sign-in': { icon: IconAlertCircleFilled, tone: 'bad' },
  sync: { icon: IconAlertCircleFilled, tone: 'bad' },
  webhook: { icon: IconAlertTriangleFilled, tone: 'warn' },
  approval: { icon: IconShieldCheck, tone: 'run' },
  function: { icon: IconAlertTriangleFilled, tone: 'warn' },
  access: { icon: IconKey, tone: 'run' },
  update: { icon: IconDownload, tone: 'run' },
  disk: { icon: IconAlertTriangleFilled, tone: 'bad' },
  view: { icon: IconListSearch, tone: 'run' },
  drift: { icon: IconAlertTriangleFilled, tone: 'warn' },
  destination: { icon: IconDatabaseExport, tone: 'bad' },
  snapshot: { icon: IconAlertTriangleFilled, tone: 'warn' },
};

interface NotificationListProps {
  rows: readonly NotificationRow[];
  /** Called when a link is followed. */
  onFollow?: () => void;
}

/** One line for each cause, with a link to the remedy; following it marks the notification as read. */
export function NotificationList({ rows, onFollow }: NotificationListProps) {
  const read = useReadNotifications();
  return (
    <ul className={`grid ${classes['list']}`}>
      {rows.map((row) => (
        <Line
          key={row.id}
          row={row}
          onFollow={() => {
            if (!row.isRead) read.mutate([row.id]);
            onFollow?.();
          }}
        />
      ))}
    </ul>
  );
}

function Line({ row, onFollow }: { row: NotificationRow; onFollow: () => void }) {
  const { icon: Icon, tone } = row.isOver ? { icon: IconCircleCheckFilled, tone: 'ok' } : ICONS[row.kind];
  const isNew = !row.isRead && !row.isOver;
  // Their titles contain the number of occurrences; other kinds show it beside the title.
  const times =
    row.count > 1 && !['sync', 'sign-in', 'webhook', 'drift', 'destination', 'snapshot'].includes(row.kind)
      ? `, ${row.count} times`
      : '';
  return (
    <li
      className={`grid line-below middle ${classes['line']}`}
      data-new={isNew || undefined}
      data-over={row.isOver || undefined}
    >
      <Icon
        size={16}
        stroke={1.6}
        className="faint"
        style={{ alignSelf: 'start', marginTop: 2 }}
        data-tone={tone}
        aria-hidden
      />
      <Box miw={0}>
        <p className={`breaks ${classes['title']}`}>
          <Link className="soft" to={row.link} onClick={onFollow}>
            {row.title}
            {times}
          </Link>
          {isNew && (
            <span className={classes['dot']}>
              <span className="visually-hidden">Not read</span>
            </span>
          )}
        </p>
        <p className={`soft note breaks ${classes['text']}`}>
          {row.isOver ? 'Resolved. ' : ''}
          {/* The text of a question says until when it waits. */}
          {!(row.isOver && row.kind === 'approval') && row.text}
        </p>
      </Box>
      <span className={`faint small right one-line ${classes['time']}`}>
        <RelativeTime at={row.at} bare />
      </span>
      {!row.isOver && <WayOut row={row} onFollow={onFollow} />}
    </li>
  );
}

/** Runs the action here if it needs no page, otherwise links to the page. */
function WayOut({ row, onFollow }: { row: NotificationRow; onFollow: () => void }) {
  const { action, link, subject } = row;
  const act = useActOnCause(subject && 'sync' in subject ? subject.sync : undefined);
  const label = NOTIFICATION_ACTIONS[action];
  if (action !== 'run' || !subject || !('cause' in subject))
    return (
      <Button size="xs" variant="default" component={Link} to={link} onClick={onFollow}>
        {label}
      </Button>
    );
  const run = (): void =>
    act.mutate(
      { cause: subject.cause, command: 'run' },
      {
        onSuccess: onFollow,
      },
    );
  return (
    <Button size="xs" variant="default" loading={act.isPending} aria-label={`${label}: ${subject.sync}`} onClick={run}>
      {label}
    </Button>
  );
}
