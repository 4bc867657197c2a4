import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { failingFunctionsQueryOptions } from '../../api/attention-queries.ts';
import { useApprovals } from '../../api/mcp/mcp-queries.ts';
import { attentionQueryOptions } from '../../api/overview/overview-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import {
  ApprovalLine,
  DeliveriesLine,
  DestinationLine,
  FunctionLine,
  LostAuthorizationLine,
  SyncLine,
} from './attention-lines.tsx';
import classes from './Overview.module.css';

/** Lines before "Show all". */
const SHOWN = 6;
const MAX_FUNCTIONS = 10;

/** Everything that needs attention: calls that wait for a decision first, then the newest. */
export function NeedsAttention() {
  const env = useEnv();
  const [isWhole, setWhole] = useState(false);
  const found = useQuery(attentionQueryOptions(env));
  const broken = useQuery(failingFunctionsQueryOptions(env, MAX_FUNCTIONS)).data;
  const approvals = useApprovals();
  const items = found.data?.data ?? [];
  const firstLostAuthorization = items.find(({ kind, count }) => kind === 'sign-in' && count === 1);
  const lines = [
    ...items.map((item) => {
      if (item.kind === 'deliveries') return { at: item.at, line: <DeliveriesLine key={item.cause} item={item} /> };
      if (item.kind === 'destination') return { at: item.at, line: <DestinationLine key={item.cause} item={item} /> };
      if (item.kind === 'sync') return { at: item.at, line: <SyncLine key={item.cause} item={item} /> };
      return {
        at: item.at,
        line: <LostAuthorizationLine key={item.cause} item={item} isFirst={item === firstLostAuthorization} />,
      };
    }),
    ...(broken?.data ?? []).map((row) => {
      const key = JSON.stringify(['function', row.integrationKey, row.type, row.name]);
      return { at: row.updatedAt, line: <FunctionLine key={key} row={row} /> };
    }),
  ].sort((a, b) => b.at.localeCompare(a.at));
  const all = [
    ...approvals.map((approval) => <ApprovalLine key={approval.id} approval={approval} />),
    ...lines.map(({ line }) => line),
  ];
  const total = (found.data?.total ?? 0) + (broken?.total ?? 0) + approvals.length;
  const shown = isWhole ? all : all.slice(0, SHOWN);
  const isReady = found.data !== undefined && broken !== undefined;
  return (
    <section className="stack card" aria-label="Needs attention">
      <header className={`row rigid ${classes['head']}`}>
        <h2>Needs attention</h2>
        {isReady && total > 0 && <span className="soft small numbers">{formatNumber(total)}</span>}
        <span className="small soft numbers right grow">
          {found.data && (
            <>
              Updated <RelativeTime at={new Date(found.dataUpdatedAt).toISOString()} />
            </>
          )}
        </span>
      </header>
      {found.error && !found.data && <ErrorPanel error={found.error} onRetry={() => void found.refetch()} />}
      <div className="visually-hidden" aria-live="polite">
        {isReady &&
          (total === 0
            ? 'Nothing needs your attention.'
            : `${formatCount(total, 'thing needs', 'things need')} your attention.`)}
      </div>
      {isReady && all.length === 0 && (
        <p className="soft" style={{ padding: '0 16px 16px' }}>
          Nothing needs your attention.
        </p>
      )}
      {all.length > 0 && <ul className={`grid ${classes['lines']}`}>{shown}</ul>}
      {all.length > SHOWN && (
        <Button
          style={{ alignSelf: 'flex-start', margin: '4px 8px 8px' }}
          variant="subtle"
          size="xs"
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? 'Show fewer' : `Show ${formatNumber(all.length - SHOWN)} more`}
        </Button>
      )}
      {total > all.length && (isWhole || all.length <= SHOWN) && (
        <p className="soft" style={{ padding: '0 16px 16px' }}>
          {formatCount(total - all.length, 'older one is', 'older ones are')} on the lists of connections and functions.
        </p>
      )}
    </section>
  );
}
