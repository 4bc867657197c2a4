import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { SessionRow } from '../../../api/contract.ts';
import { sessionsQueryOptions } from '../../../api/hub/hub-queries.ts';
import { useEndSessions } from '../../../api/hub/session-mutations.ts';
import { OWN_ERROR } from '../../../api/use-change.ts';
import { useConfirm } from '../../../components/notice/use-confirm.tsx';
import { ErrorPanel } from '../../../components/page/ErrorPanel.tsx';
import { Section } from '../../../components/page/Section.tsx';
import { PlainTable } from '../../../components/table/PlainTable.tsx';
import { Tag } from '../../../components/tag/Tag.tsx';
import { RelativeTime } from '../../../components/time/RelativeTime.tsx';
import classes from '../EnvironmentSettings.module.css';

/** The browsers that are signed in to this dashboard, in every environment. */
export function SessionSettings() {
  const sessions = useQuery(sessionsQueryOptions());
  const end = useEndSessions();
  const asked = useEndSessions(OWN_ERROR);
  const confirm = useConfirm();
  const others = (sessions.data ?? []).filter(({ isCurrent }) => !isCurrent).length;
  const endOthers = (): void =>
    confirm.ask({
      title: 'Sign out every other browser?',
      text: `${others} other ${others === 1 ? 'browser has' : 'browsers have'} to be signed in again with a new link. This one stays signed in.`,
      action: 'Sign out others',
      run: () => asked.mutateAsync('others'),
    });
  return (
    <div id="sessions" className={classes['anchor']}>
      <Section
        title="Signed-in browsers"
        aside={
          <span className="row">
            <Button size="xs" variant="default" disabled={others === 0} onClick={endOthers}>
              Sign out others
            </Button>
            <Button size="xs" variant="default" onClick={() => end.mutate('own')}>
              Sign out
            </Button>
          </span>
        }
      >
        {sessions.error && !sessions.data ? (
          <ErrorPanel error={sessions.error} onRetry={() => void sessions.refetch()} />
        ) : (
          <PlainTable
            className={`dense ${classes['sessions']}`}
            label="Signed-in browsers"
            head={['Browser', 'Last used', 'Signed in', 'Expires', '']}
          >
            {(sessions.data ?? []).map((session) => (
              <Row key={session.id} session={session} />
            ))}
          </PlainTable>
        )}
        <p className="faint small pt-8">
          A browser stays signed in for 30 days. Programs on other ports of this computer cannot use its session.
        </p>
        {confirm.dialog}
      </Section>
    </div>
  );
}

function Row({ session }: { session: SessionRow }) {
  const { browser, createdAt, expiresAt, isCurrent, lastUsedAt } = session;
  return (
    <tr>
      <td>
        <span className="row">
          <span className="name cut">{browser}</span>
          {isCurrent && <Tag>this browser</Tag>}
        </span>
      </td>
      <td>
        <RelativeTime at={lastUsedAt} />
      </td>
      <td>
        <RelativeTime at={createdAt} />
      </td>
      <td>
        <RelativeTime at={expiresAt} />
      </td>
      <td>{!isCurrent && <EndSession session={session} />}</td>
    </tr>
  );
}

function EndSession({ session }: { session: SessionRow }) {
  const end = useEndSessions();
  return (
    <Button
      size="xs"
      variant="subtle"
      data-tone="bad"
      loading={end.isPending}
      aria-label={`Sign out ${session.browser}`}
      onClick={() => end.mutate({ id: session.id })}
    >
      Sign out
    </Button>
  );
}
