import { Button } from '@mantine/core';
import { IconApps, IconKey, IconRefresh, IconUserCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { Link } from 'react-router';
import { useRefreshConnection } from '../../api/connections/connections-mutations.ts';
import { type ConnectionRef, connectionQueryOptions } from '../../api/connections/connections-queries.ts';
import type { ConnectionDetail } from '../../api/contract.ts';
import { OWN_ERROR } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { useNow } from '../../components/time/use-now.ts';
import { formatRelative } from '../../lib/format-time.ts';
import { paths } from '../../lib/paths.ts';
import classes from './WelcomeStep.module.css';

/** The life of a token, from the authorization to the apps that read it: in general, or of one connection. */
export function TokenLife({ connection }: { connection: ConnectionRef | undefined }) {
  if (connection) return <OwnTokenLife connection={connection} />;
  return (
    <ol className={`grid ${classes['token']}`} aria-label="Life of a token">
      <Stage icon={IconUserCheck} title="Sign in">
        A person allows it at the provider.
      </Stage>
      <Stage icon={IconKey} title="Token">
        Homeport seals it here.
      </Stage>
      <Stage icon={IconRefresh} title="Refreshed">
        As it is used, before it ends.
      </Stage>
      <Stage icon={IconApps} title="Your apps">
        They always get a valid one.
      </Stage>
    </ol>
  );
}

function OwnTokenLife({ connection }: { connection: ConnectionRef }) {
  const env = useEnv();
  const { data, error, refetch } = useQuery(connectionQueryOptions(env, connection));
  const renew = useRefreshConnection(connection, OWN_ERROR);
  if (error && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  return (
    <section className={`card ${classes['made']}`} aria-label="The connection">
      <header className="row wrap line-below">
        <div>
          <strong>{data.displayName ?? data.integrationName}</strong>
          <code className="soft cut">{data.connectionId}</code>
        </div>
        <Button size="xs" variant="subtle" component={Link} to={paths.connection(env, connection)}>
          Open the connection
        </Button>
        {data.isRefreshable && (
          <Button size="xs" variant="default" loading={renew.isPending} onClick={() => renew.mutate()}>
            Refresh the token now
          </Button>
        )}
      </header>
      {renew.error && <ErrorPanel error={renew.error} onRetry={() => renew.mutate()} />}
      <ol className={`grid ${classes['token']}`} aria-label="Life of its token">
        <Stage icon={IconUserCheck} title="Signed in">
          <RelativeTime at={data.createdAt} />
        </Stage>
        <Stage icon={IconKey} title="Token">
          <Expiry connection={data} />
        </Stage>
        <Stage icon={IconRefresh} title="Refresh">
          <Renewal connection={data} />
        </Stage>
        <Stage icon={IconApps} title="Your apps">
          They always get a valid one.
        </Stage>
      </ol>
    </section>
  );
}

function Expiry({ connection: { tokenExpiresAt } }: { connection: ConnectionDetail }) {
  const now = useNow();
  if (tokenExpiresAt === null) return 'Does not expire';
  const when = formatRelative(tokenExpiresAt, now);
  return Date.parse(tokenExpiresAt) > now ? `Expires ${when}` : `Expired ${when}`;
}

function Renewal({ connection }: { connection: ConnectionDetail }) {
  const now = useNow();
  const { createdAt, isRefreshable, lastRefresh, nextRefreshAt } = connection;
  // The first token counts as just renewed.
  if (lastRefresh?.succeeded && lastRefresh.at > createdAt) return `Refreshed ${formatRelative(lastRefresh.at, now)}`;
  if (!isRefreshable) return 'Not needed';
  if (nextRefreshAt === null) return 'When an app needs it';
  return Date.parse(nextRefreshAt) > now ? `On use, ${formatRelative(nextRefreshAt, now)} or later` : 'At its next use';
}

interface StageProps {
  icon: ComponentType<{ size: number; stroke: number }>;
  title: string;
  children: ReactNode;
}

function Stage({ icon: Icon, title, children }: StageProps) {
  return (
    <li className="grid">
      <span className={`centred soft ${classes['stageIcon']}`} aria-hidden>
        <Icon size={16} stroke={1.6} />
      </span>
      <strong className="strong">{title}</strong>
      <span>{children}</span>
    </li>
  );
}
