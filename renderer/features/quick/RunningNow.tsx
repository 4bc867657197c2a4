import { IconCircleDashed } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { OperationListItem } from '../../api/contract.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { runningOperationsQueryOptions } from '../../api/logs/logs-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
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
    <section className={classes['section']}>
      <div className={classes['title']}>
        <h2>Running</h2>
        <span className="faint">{queued === 0 ? 'Queue empty' : `Queue ${formatNumber(queued)}`}</span>
      </div>
      {data?.total === 0 && <p className="faint">Nothing runs.</p>}
      {data?.data.map((row) => (
        <Running key={row.id} row={row} env={env} />
      ))}
    </section>
  );
}

function Running({ row, env }: { row: OperationListItem; env: string }) {
  return (
    <div className={classes['row']}>
      <IconCircleDashed size={16} stroke={1.6} className={classes['turning']} aria-hidden />
      <div className={classes['what']}>
        <a className="cut" href={windowHref(paths.operation(env, row.id))} target="homeport">
          {row.syncConfigName ? <code>{row.syncConfigName}</code> : row.message}
        </a>
        <small className="cut">{[row.integrationName, row.connectionName].filter(Boolean).join(', ')}</small>
      </div>
      <span className="soft">
        <RelativeTime at={row.startedAt ?? row.createdAt} bare />
      </span>
    </div>
  );
}
