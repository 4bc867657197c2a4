import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { failingConnectionsQueryOptions } from '../../api/connections/connections-queries.ts';
import type { ConnectionListItem } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { ProviderLogo } from '../../components/ProviderLogo.tsx';
import { paths, windowHref } from '../../lib/paths.ts';
import { CONNECTION_LOOK, lookOf } from '../../lib/status.ts';
import classes from './QuickPanel.module.css';

const SHOWN = 4;

export function FailingConnections() {
  const env = useEnv();
  const { data } = useQuery(failingConnectionsQueryOptions(env, SHOWN));
  if (!data || data.total === 0) return null;
  return (
    <section className={classes['section']}>
      <div className={classes['title']}>
        <h2>Failing</h2>
        <a href={windowHref(`${paths.connections(env)}?status=error`)} target="homeport">
          {data.total > SHOWN ? `All ${data.total}` : 'Open connections'}
        </a>
      </div>
      {data.data.map((row) => (
        <Failing key={`${row.integrationKey}/${row.connectionId}`} row={row} env={env} />
      ))}
    </section>
  );
}

function Failing({ row, env }: { row: ConnectionListItem; env: string }) {
  const needsSignIn = row.status === 'auth_error';
  return (
    <div className={classes['row']}>
      <ProviderLogo provider={row.provider} name={row.integrationName} size={20} />
      <div className={classes['what']}>
        <span className="name cut">{row.displayName ?? row.connectionId}</span>
        <small className="cut">
          {row.integrationName}, {lookOf(CONNECTION_LOOK, row.status).label.toLowerCase()}
        </small>
      </div>
      <Button size="xs" variant="default" component="a" href={windowHref(paths.connection(env, row))} target="homeport">
        {needsSignIn ? 'Reconnect' : 'Open'}
      </Button>
    </div>
  );
}
