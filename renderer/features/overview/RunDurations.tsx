import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { ActivityPeriod, FunctionDuration } from '../../api/contract.ts';
import { durationsQueryOptions } from '../../api/overview/overview-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PlainTable } from '../../components/table/PlainTable.tsx';
import { csvLine } from '../../lib/csv.ts';
import { formatCount } from '../../lib/format-number.ts';
import { formatDuration } from '../../lib/format-time.ts';
import { paths } from '../../lib/paths.ts';
import { OwnerName } from './OwnerName.tsx';
import classes from './RunDurations.module.css';

/** How long successful runs of each function took, slowest first. */
export function RunDurations({ period }: { period: ActivityPeriod }) {
  const env = useEnv();
  const { data, error, refetch } = useQuery(durationsQueryOptions(env, period));
  const rows = data?.data ?? [];
  return (
    <section className="stack card" style={{ padding: '12px 16px' }} aria-label="Run durations">
      <header className="row gap-0" style={{ minHeight: 28 }}>
        <h2 style={{ flex: 1 }}>Run durations</h2>
        <CopyButton value={csvOf(rows)} label="Copy Run durations as CSV" />
      </header>
      {error && !data && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data && rows.length === 0 && <p className="soft">No function ran in this period.</p>}
      {rows.length > 0 && (
        <section
          className={`scroll ${classes['scroll']}`}
          style={{ flex: '1 1 0', minHeight: 160 }}
          aria-label="Run durations as a table"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
          tabIndex={0}
        >
          <PlainTable className="small" head={['Function', 'p50', 'p95', 'Max']} hasFigures>
            {rows.map((row) => (
              <tr key={JSON.stringify([row.integrationKey, row.type, row.name])}>
                <th scope="row">
                  <span className={`row ${classes['name']}`}>
                    <ProviderLogo provider={row.provider} name={row.integrationName} size={16} />
                    <Link className="cut" title={formatCount(row.runs, 'run')} to={paths.function(env, row)}>
                      <code>{row.name}</code>
                    </Link>
                    {rows.some((one) => one !== row && one.name === row.name) && <OwnerName row={row} rows={rows} />}
                  </span>
                </th>
                <td>{formatDuration(row.p50Ms)}</td>
                <td>{formatDuration(row.p95Ms)}</td>
                <td>{formatDuration(row.maxMs)}</td>
              </tr>
            ))}
          </PlainTable>
          {data && data.total > rows.length && (
            <p className="faint">{formatCount(data.total - rows.length, 'faster function')} not shown.</p>
          )}
        </section>
      )}
    </section>
  );
}

function csvOf(rows: readonly FunctionDuration[]): string {
  const head = ['Integration', 'Function', 'Type', 'Runs', 'Succeeded', 'p50 ms', 'p95 ms', 'Max ms'];
  const lines = rows.map(({ integrationKey, name, type, runs, succeeded, p50Ms, p95Ms, maxMs }) =>
    csvLine([integrationKey, name, type, runs, succeeded, p50Ms, p95Ms, maxMs]),
  );
  return csvLine(head) + lines.join('');
}
