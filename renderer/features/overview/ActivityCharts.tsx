import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { ActivityPeriod } from '../../api/contract.ts';
import { activityQueryOptions } from '../../api/overview/overview-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { BarChart, BYTES } from '../../components/chart/BarChart.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { useUrlState } from '../../components/page/use-url-state.ts';
import {
  byDatabaseSize,
  byProvider,
  byRecordChange,
  byState,
  byStatusClass,
  failuresByKind,
} from '../../lib/activity-series.ts';
import { paths } from '../../lib/paths.ts';
import classes from './Overview.module.css';
import { RunDurations } from './RunDurations.tsx';

/** How the bars of the calls are stacked. */
const CALL_SPLITS = ['status', 'provider'] as const;
const RUN_TYPES = 'sync:run,action,events';

/** Activity of the period by kind, the six that are read most at first; a bar links to its operations in the log. */
export function ActivityCharts({ period }: { period: ActivityPeriod }) {
  const env = useEnv();
  const navigate = useNavigate();
  const url = useUrlState();
  const split = CALL_SPLITS.find((one) => one === url.get('calls')) ?? 'status';
  const isAll = url.get('charts') === 'all';
  const [cursor, setCursor] = useState<number | null>(null);
  const { data, error, refetch } = useQuery(activityQueryOptions(env, period));
  if (error && !data)
    return (
      <section className="stack card" aria-label="Charts">
        <header className={`row rigid ${classes['head']}`}>
          <h2>Charts</h2>
        </header>
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      </section>
    );
  const buckets = data?.buckets ?? [];
  const open =
    (query: Record<string, string>) =>
    (from: number, to: number): void =>
      void navigate(paths.logs(env, { ...query, period: `${from},${to}` }));
  const shared = { bucketMs: data?.bucketMs ?? 1, end: Date.parse(data?.end ?? ''), cursor, onCursor: setCursor };
  return (
    <>
      <div className={`grid gap-16 ${classes['charts']}`}>
        <BarChart
          title="Runs by result"
          {...byState(buckets, ['sync', 'action', 'event'])}
          {...shared}
          onPick={open({ types: RUN_TYPES })}
          hint={
            data && 'No function ran in this period. Syncs run on their schedule, actions when your app calls them.'
          }
        />
        <BarChart
          title={`API calls by ${split}`}
          heading="API calls"
          choice={
            <Menu position="bottom-end">
              <Menu.Target>
                <Button
                  size="compact-xs"
                  h={24}
                  variant="subtle"
                  aria-label={`API calls by: ${split}`}
                  rightSection={<IconChevronDown size={14} stroke={1.6} aria-hidden />}
                >
                  By {split}
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {CALL_SPLITS.map((one) => (
                  <Menu.Item
                    key={one}
                    aria-current={one === split || undefined}
                    onClick={() => url.set({ calls: one === 'status' ? undefined : one })}
                  >
                    By {one}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          }
          {...(split === 'provider' ? byProvider(buckets) : byStatusClass(buckets))}
          {...shared}
          onPick={open({ types: 'proxy' })}
          hint={data && 'No call went through the proxy in this period. Send one from the playground or from your app.'}
        />
        <BarChart
          title="Failures by kind"
          {...failuresByKind(buckets)}
          {...shared}
          onPick={open({ states: 'failed,timeout' })}
          hint={data && 'Nothing failed in this period.'}
        />
        <BarChart
          title="Record changes"
          {...byRecordChange(buckets)}
          {...shared}
          onPick={open({ types: RUN_TYPES })}
          hint={data && 'No run changed a record in this period. Records are counted when a run ends.'}
        />
        <BarChart
          title="Database size"
          unit={BYTES}
          {...byDatabaseSize(buckets)}
          {...shared}
          onPick={open({})}
          hint={
            data && 'The size was not measured in this period. It is measured every 15 minutes while Homeport runs.'
          }
        />
        <RunDurations period={period} />
      </div>
      {isAll && (
        <div className={`grid gap-16 ${classes['charts']}`}>
          <BarChart
            title="Webhooks by result"
            {...byState(buckets, ['webhook'])}
            {...shared}
            onPick={open({ types: 'webhook' })}
            hint={data && 'No webhook was received or sent in this period.'}
          />
          <BarChart
            title="Sign-ins by result"
            {...byState(buckets, ['sign-in'])}
            {...shared}
            onPick={open({ types: 'auth:create_connection' })}
            hint={data && 'No account was connected in this period.'}
          />
          <BarChart
            title="Token refreshes by result"
            {...byState(buckets, ['renewal'])}
            {...shared}
            onPick={open({ types: 'auth:refresh_token' })}
            hint={
              data &&
              'No token was refreshed in this period. A token is refreshed when it is used shortly before it expires.'
            }
          />
        </div>
      )}
      <Button
        // Closer to the charts that it belongs to than to what follows.
        style={{ alignSelf: 'center', marginBlock: -8 }}
        size="xs"
        variant="subtle"
        aria-expanded={isAll}
        onClick={() => url.set({ charts: isAll ? undefined : 'all' })}
      >
        {isAll ? 'Fewer charts' : 'More charts'}
      </Button>
    </>
  );
}
