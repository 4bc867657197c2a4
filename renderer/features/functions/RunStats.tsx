import { useQuery } from '@tanstack/react-query';
import type { FunctionDetail } from '../../api/contract.ts';
import { functionStatsQueryOptions } from '../../api/functions/functions-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { RunBars, stackedBar } from '../../components/function/RunBars.tsx';
import { formatCount, formatRounded } from '../../lib/format-number.ts';
import { formatDay, formatDuration } from '../../lib/format-time.ts';
import classes from './FunctionPage.module.css';

/** Largest width of a bar with its gap, in pixels. */
const BAR_WIDTH = 13;

/** How the runs of the last week ended and how long they took. */
export function RunStats({ data }: { data: FunctionDetail }) {
  const env = useEnv();
  const { integrationKey, type, name } = data;
  const { data: stats } = useQuery(functionStatsQueryOptions(env, { integrationKey, type, name }));
  if (!stats || stats.total === 0) return null;
  const failed = stats.total - stats.succeeded;
  const percent = (100 * stats.succeeded) / stats.total;
  return (
    <div className={`rigid line-below ${classes['stats']}`} style={{ padding: '12px var(--hp-gutter)' }}>
      <p className={`soft small pb-8 flex wrap ${classes['figures']}`}>
        <span>
          <b className="strong">{formatRounded(percent, 1)} %</b> succeeded
        </span>
        {stats.p50Ms !== null && (
          <span>
            <b className="strong">{formatDuration(stats.p50Ms)}</b> p50
          </span>
        )}
        {stats.p95Ms !== null && (
          <span>
            <b className="strong">{formatDuration(stats.p95Ms)}</b> p95
          </span>
        )}
      </p>
      <RunBars
        height={40}
        label={`${formatCount(stats.total, 'run')} in 7 days, ${failed} failed`}
        bars={stats.buckets.map(({ at, succeeded, failed: bad }) => stackedBar(at, succeeded, bad))}
      />
      <p className="faint tiny flex between" style={{ maxWidth: stats.buckets.length * BAR_WIDTH }} aria-hidden>
        <span>{formatDay(stats.buckets[0]?.at ?? '')}</span>
        <span>Today</span>
      </p>
    </div>
  );
}
