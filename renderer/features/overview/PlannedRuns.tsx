import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { Planned, PlannedSync } from '../../api/contract.ts';
import { plannedQueryOptions } from '../../api/overview/overview-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { formatInterval, formatMinutes } from '../../lib/format-time.ts';
import { paths } from '../../lib/paths.ts';
import { OwnerName } from './OwnerName.tsx';
import classes from './PlannedRuns.module.css';

const MINUTE_MS = 60_000;

/** Scheduled syncs of the next 24 hours, one line per function, as a table whose last column is a timeline. */
export function PlannedRuns() {
  const env = useEnv();
  const { data, error, refetch } = useQuery(plannedQueryOptions(env));
  return (
    <section className="card" style={{ minWidth: 0 }} aria-label="Next 24 hours">
      <header className={`row ${classes['head']}`} style={{ minHeight: 44, padding: '0 16px' }}>
        <h2>Next 24 hours</h2>
        {data && data.runs > 0 && <span>{formatCount(data.runs, 'planned run')}</span>}
      </header>
      {error && !data && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data?.total === 0 && (
        <p className="soft" style={{ padding: '0 16px 16px' }}>
          No sync is scheduled. A sync starts with its first connection, or with Resume on the connection’s page.{' '}
          <Link to={paths.functions(env)}>Functions</Link>
        </p>
      )}
      {data && data.data.length > 0 && <Schedule env={env} planned={data} />}
      {data && data.total > data.data.length && (
        <p className="soft" style={{ padding: '0 16px 16px' }}>
          {formatCount(data.total - data.data.length, 'more function runs', 'more functions run')} after these.
        </p>
      )}
    </section>
  );
}

function Schedule({ env, planned }: { env: string; planned: Planned }) {
  const from = Date.parse(planned.from);
  const marks = [0, 1, 2, 3, 4, 5].map((part) =>
    part === 0 ? 'now' : formatMinutes(from + part * 4 * 60 * MINUTE_MS),
  );
  return (
    <table className={classes['table']}>
      <thead>
        <tr>
          <th scope="col">Sync</th>
          <th scope="col">Schedule</th>
          <th scope="col">Next</th>
          <th scope="col" aria-label="The day">
            <span className={`grid numbers ${classes['marks']}`} aria-hidden>
              {marks.map((mark) => (
                <span key={mark}>{mark}</span>
              ))}
            </span>
          </th>
        </tr>
      </thead>
      <tbody>
        {planned.data.map((row) => (
          <tr key={JSON.stringify([row.integrationKey, row.sync, row.frequencyMs])}>
            <th scope="row">
              <span className={`row ${classes['name']}`}>
                <ProviderLogo provider={row.provider} name={row.integrationName} size={16} />
                <Link
                  className="cut"
                  to={paths.function(env, { integrationKey: row.integrationKey, name: row.sync, type: 'sync' })}
                >
                  <code>{row.sync}</code>
                </Link>
                <OwnerName row={row} rows={planned.data} />
                {row.connections > 1 && <span className="faint">× {formatNumber(row.connections)}</span>}
              </span>
            </th>
            <td>{formatInterval(row.frequencyMs)}</td>
            <td>
              <RelativeTime at={row.nextAt} isStart />
            </td>
            <td>
              <Strip row={row} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The day in slots; a mark is taller when more connections run in its slot. */
function Strip({ row }: { row: PlannedSync }) {
  const most = Math.max(...row.slots, 1);
  const runs = row.slots.reduce((sum, count) => sum + count, 0);
  return (
    <>
      <span className="visually-hidden">{formatCount(runs, 'run')}</span>
      <svg
        className={`full ${classes['strip']}`}
        viewBox={`0 0 ${row.slots.length} 16`}
        preserveAspectRatio="none"
        aria-hidden
        focusable={false}
      >
        {row.slots.map((count, slot) => {
          const height = count === 0 ? 0 : 6 + (8 * count) / most;
          const key = `${slot}`;
          return <rect key={key} x={slot + 0.3} y={(16 - height) / 2} width={0.4} height={height} />;
        })}
      </svg>
    </>
  );
}
