import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { IconPlayerStop } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCancelRun } from '../../api/connections/use-sync-actions.ts';
import type { OperationListItem } from '../../api/contract.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { integrationChoicesQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { runningOperationsQueryOptions } from '../../api/logs/logs-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatNumber } from '../../lib/format-number.ts';
import { paths, windowHref } from '../../lib/paths.ts';
import classes from './QuickPanel.module.css';

const SHOWN = 4;

export function RunningNow() {
  const env = useEnv();
  const { data: meta } = useQuery(metaQueryOptions());
  const { data } = useQuery(runningOperationsQueryOptions(env, SHOWN));
  const queued = meta?.health.queued ?? 0;
  return (
    <section className={classes['section']} style={{ padding: '8px 16px' }}>
      <div className="row gap-0 between small" style={{ minHeight: 28 }}>
        <h2 className="soft small" style={{ fontWeight: 400 }}>
          Running
        </h2>
        <span className="faint">{queued === 0 ? 'Queue empty' : `Queue ${formatNumber(queued)}`}</span>
      </div>
      {data?.total === 0 && <p className="faint">Nothing is running.</p>}
      {data?.data.map((row) => (
        <Running key={row.id} row={row} env={env} />
      ))}
    </section>
  );
}

function Running({ row, env }: { row: OperationListItem; env: string }) {
  const cancel = useCancelRun();
  const integrations = useQuery(integrationChoicesQueryOptions(env)).data;
  const integration = integrations?.find(({ key }) => key === row.integrationName)?.displayName ?? row.integrationName;
  const name = row.syncConfigName ?? row.message;
  const isSync = row.operation.type === 'sync';
  return (
    <Group gap={10} wrap="nowrap" mih={44}>
      <ProviderLogo provider={row.providerName} name={row.integrationName ?? name} size={20} />
      <div className={`stack grow ${classes['what']}`}>
        <a className="cut" href={windowHref(paths.operation(env, row.id))} target="homeport">
          {row.syncConfigName ? <code>{row.syncConfigName}</code> : row.message}
        </a>
        <small className="cut note soft">
          {[integration, row.endUserName ?? row.connectionName].filter(Boolean).join(', ')}
        </small>
      </div>
      <span className="soft">
        {isSync && row.recordsChanged > 0 && `${formatNumber(row.recordsChanged)}, `}
        <RelativeTime at={row.startedAt ?? row.createdAt} bare />
      </span>
      {isSync && (
        <Tooltip label="Cancel run">
          <ActionIcon
            size={28}
            aria-label={`Cancel ${name}`}
            loading={cancel.isPending}
            onClick={() => cancel.mutate(row)}
          >
            <IconPlayerStop size={14} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  );
}
