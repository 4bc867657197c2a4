import type { ReactNode } from 'react';
import type { ConnectionDetail } from '../../api/contract.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { FactList } from '../../components/FactList.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Tag } from '../../components/Tag.tsx';
import { TokenExpiry } from '../../components/TokenExpiry.tsx';
import { authModeName } from '../../lib/auth-modes.ts';
import { formatDateTime } from '../../lib/format-time.ts';
import classes from './ConnectionPage.module.css';

function refreshFacts({ lastRefresh, nextRefreshAt }: ConnectionDetail): [string, ReactNode][] {
  const facts: [string, ReactNode][] = [];
  if (lastRefresh) {
    const look = lastRefresh.succeeded
      ? ({ label: 'Succeeded', tone: 'ok', icon: 'check' } as const)
      : ({ label: 'Failed', tone: 'bad', icon: 'alert' } as const);
    facts.push(['Last refresh', [<StatusBadge key="b" look={look} />, <RelativeTime key="t" at={lastRefresh.at} />]]);
  }
  if (nextRefreshAt) facts.push(['Next refresh', <RelativeTime key="n" at={nextRefreshAt} />]);
  return facts;
}

export function ConnectionSide({ connection }: { connection: ConnectionDetail }) {
  const { endUser, tags } = connection;
  const tagNames = Object.entries(tags);
  return (
    <aside className={classes['side']} aria-label="About this connection">
      <FactList
        facts={[
          ['Connection ID', <CopyRow key="i" value={connection.connectionId} label="Copy connection ID" />],
          ...(endUser
            ? ([
                [
                  'User',
                  [
                    <span key="n">{endUser.displayName ?? endUser.id}</span>,
                    <span key="i" className="faint">
                      {endUser.displayName ? endUser.id : ''}
                    </span>,
                  ],
                ],
              ] as [string, ReactNode][])
            : []),
          ...(endUser?.organization
            ? ([['Organisation', endUser.organization.displayName ?? endUser.organization.id]] as [string, ReactNode][])
            : []),
          [
            'Tags',
            tagNames.length > 0 ? (
              tagNames.map(([name, value]) => <Tag key={name}>{`${name}: ${value}`}</Tag>)
            ) : (
              <span className="faint">None</span>
            ),
          ],
          ['Auth type', authModeName(connection.authMode)],
          [
            'Token expires',
            <TokenExpiry key="e" at={connection.tokenExpiresAt} isRefreshable={connection.isRefreshable} />,
          ],
          ...refreshFacts(connection),
          ['Last fetched', <RelativeTime key="f" at={connection.lastFetchedAt} empty="Never" />],
          ['Created', formatDateTime(connection.createdAt)],
        ]}
      />
    </aside>
  );
}
