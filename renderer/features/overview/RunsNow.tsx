import { ActionIcon, Tooltip } from '@mantine/core';
import { IconPlayerStop } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { useCancelRun } from '../../api/connections/use-sync-actions.ts';
import type { OperationListItem } from '../../api/contract.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { integrationChoicesQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { plannedQueryOptions, runsNowQueryOptions } from '../../api/overview/overview-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { OperationDuration } from '../../components/time/OperationDuration.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import classes from './Overview.module.css';

/** Running functions with the number of records saved so far, and the next planned run. */
export function RunsNow() {
  const env = useEnv();
  const queued = useQuery(metaQueryOptions()).data?.health.queued ?? 0;
  const { data, error, refetch } = useQuery(runsNowQueryOptions(env));
  const next = useQuery(plannedQueryOptions(env)).data?.data[0];
  return (
    <section className="stack card" aria-label="Running now">
      <header className={`row rigid ${classes['head']}`}>
        <h2>Running now</h2>
        {data && data.total > 0 && <span className="soft small numbers">{formatNumber(data.total)}</span>}
        <span className="small soft numbers right grow">
          {queued === 0 ? 'Queue empty' : `Queue ${formatNumber(queued)}`}
        </span>
      </header>
      <ul>
        {data?.data.map((row) => (
          <Run key={row.id} row={row} />
        ))}
      </ul>
      {error && !data && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data?.total === 0 && (
        <p className="soft" style={{ padding: '0 16px 16px' }}>
          Nothing is running.
        </p>
      )}
      {data && data.total > data.data.length && (
        <p className="soft" style={{ padding: '0 16px 16px' }}>
          <Link to={`/${env}/logs?states=running`}>All {formatNumber(data.total)} in the log</Link>
        </p>
      )}
      {next && (
        <p className={`row soft small line-above ${classes['next']}`}>
          <span>Next</span>
          <Link to={paths.function(env, { integrationKey: next.integrationKey, name: next.sync, type: 'sync' })}>
            <code>{next.sync}</code>
          </Link>
          <span className="small soft numbers right grow">
            <RelativeTime at={next.nextAt} isStart />
          </span>
        </p>
      )}
    </section>
  );
}

function Run({ row }: { row: OperationListItem }) {
  const env = useEnv();
  const cancel = useCancelRun();
  const integrations = useQuery(integrationChoicesQueryOptions(env)).data;
  const integration = integrations?.find(({ key }) => key === row.integrationName)?.displayName ?? row.integrationName;
  const name = row.syncConfigName ?? row.message;
  const isSync = row.operation.type === 'sync';
  return (
    <li className={`grid line-above middle ${classes['run']}`}>
      <ProviderLogo provider={row.providerName} name={row.integrationName ?? name} size={16} />
      <Link className="cut" to={paths.operation(env, row.id)}>
        <code>{name}</code>
      </Link>
      <span className="soft numbers right">
        <OperationDuration operation={row} />
      </span>
      {isSync ? (
        <Tooltip label="Cancel run">
          <ActionIcon
            size={24}
            aria-label={`Cancel ${name}`}
            loading={cancel.isPending}
            onClick={() => cancel.mutate(row)}
          >
            <IconPlayerStop size={14} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Tooltip>
      ) : (
        <span />
      )}
      <span className="soft note cut" style={{ gridColumn: '1 / 3' }}>
        {[integration, row.endUserName ?? row.connectionName].filter(Boolean).join(', ')}
      </span>
      <span className="soft note numbers right" style={{ gridColumn: '3 / 5' }}>
        {isSync && formatCount(row.recordsChanged, 'record')}
      </span>
    </li>
  );
}
