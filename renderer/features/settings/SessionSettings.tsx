import { Button } from '@mantine/core';
import { describeError } from '../../api/api-error.ts';
import type { SessionRow } from '../../api/contract.ts';
import { useEndSessions } from '../../api/use-end-sessions.ts';
import { useSessions } from '../../api/use-sessions.ts';
import { notifyError } from '../../components/notify.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { Section } from '../../components/Section.tsx';
import { Tag } from '../../components/Tag.tsx';
import { type Column, wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useConfirm } from '../../components/use-confirm.tsx';
import classes from './EnvironmentSettings.module.css';

/** Who is signed in to this dashboard, in every environment. */
export function SessionSettings() {
  const sessions = useSessions();
  const end = useEndSessions();
  const confirm = useConfirm();
  const others = (sessions.data ?? []).filter(({ isCurrent }) => !isCurrent).length;
  const endOthers = (): void =>
    confirm.ask({
      title: 'Sign out every other browser?',
      text: `${others} other ${others === 1 ? 'browser has' : 'browsers have'} to be signed in again with a new link. This one stays signed in.`,
      action: 'Sign out others',
      run: () => end.mutateAsync('others'),
    });
  return (
    <div id="sessions" className={classes['anchor']}>
      <Section
        title="Signed-in browsers"
        aside={
          <>
            <Button size="xs" variant="default" disabled={others === 0} onClick={endOthers}>
              Sign out others
            </Button>
            <Button
              size="xs"
              variant="default"
              onClick={() => end.mutate('own', { onError: (error) => notifyError(describeError(error)) })}
            >
              Sign out
            </Button>
          </>
        }
      >
        <DataTable
          label="Signed-in browsers"
          columns={COLUMNS}
          source={wholeRows(sessions)}
          rowKey={({ id }) => id}
          describeError={describeError}
          // The browser that asks is always one of them.
          empty={null}
        />
        <p className={classes['hint']}>
          A browser stays signed in for 30 days. Programs on other ports of this computer cannot use its session.
        </p>
        {confirm.dialog}
      </Section>
    </div>
  );
}

const COLUMNS: Column<SessionRow>[] = [
  {
    id: 'browser',
    header: 'Browser',
    width: 160,
    grow: true,
    cell: ({ browser, isCurrent }) => (
      <span className="row">
        <span className="name cut">{browser}</span>
        {isCurrent && <Tag>this browser</Tag>}
      </span>
    ),
  },
  { id: 'used', header: 'Last used', width: 110, cell: (row) => <RelativeTime at={row.lastUsedAt} /> },
  { id: 'created', header: 'Signed in', width: 110, cell: (row) => <RelativeTime at={row.createdAt} /> },
  { id: 'ends', header: 'Ends', width: 110, cell: (row) => <RelativeTime at={row.expiresAt} /> },
  {
    id: 'end',
    header: '',
    width: 90,
    align: 'right',
    cell: (row, isActive) => !row.isCurrent && <EndSession session={row} isActive={isActive} />,
  },
];

function EndSession({ session, isActive }: { session: SessionRow; isActive: boolean }) {
  const end = useEndSessions();
  return (
    <Button
      size="xs"
      variant="subtle"
      data-tone="bad"
      tabIndex={isActive ? 0 : -1}
      loading={end.isPending}
      aria-label={`Sign out ${session.browser}`}
      onClick={() => end.mutate({ id: session.id }, { onError: (error) => notifyError(describeError(error)) })}
    >
      Sign out
    </Button>
  );
}
