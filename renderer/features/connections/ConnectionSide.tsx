import type { ConnectionDetail } from '../../api/contract.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Tag } from '../../components/Tag.tsx';
import { TokenExpiry } from '../../components/TokenExpiry.tsx';
import { authModeName } from '../../lib/auth-modes.ts';
import { formatDateTime } from '../../lib/format-time.ts';
import type { StatusLook } from '../../lib/status.ts';
import classes from './ConnectionPage.module.css';

const REFRESHED: StatusLook = { label: 'Succeeded', tone: 'ok', icon: 'check' };
const REFUSED: StatusLook = { label: 'Failed', tone: 'bad', icon: 'alert' };

function RefreshFacts({ lastRefresh, nextRefreshAt }: ConnectionDetail) {
  return (
    <>
      {lastRefresh && (
        <Fact label="Last refresh">
          <StatusBadge look={lastRefresh.succeeded ? REFRESHED : REFUSED} />
          <RelativeTime at={lastRefresh.at} />
        </Fact>
      )}
      {nextRefreshAt && (
        <Fact label="Next refresh">
          <RelativeTime at={nextRefreshAt} />
        </Fact>
      )}
    </>
  );
}

function UserFacts({ endUser }: ConnectionDetail) {
  if (!endUser) return null;
  const { id, displayName, organization } = endUser;
  return (
    <>
      <Fact label="User">
        <span>{displayName ?? id}</span>
        {displayName && <span className="faint">{id}</span>}
      </Fact>
      {organization && <Fact label="Organisation">{organization.displayName ?? organization.id}</Fact>}
    </>
  );
}

export function ConnectionSide({ connection }: { connection: ConnectionDetail }) {
  const tags = Object.entries(connection.tags);
  return (
    <aside className={classes['side']} aria-label="About this connection">
      <FactList>
        <Fact label="Connection ID">
          <CopyRow value={connection.connectionId} label="Copy connection ID" />
        </Fact>
        <UserFacts {...connection} />
        <Fact label="Tags">
          {tags.length === 0 && <span className="faint">None</span>}
          {tags.map(([name, value]) => (
            <Tag key={name}>{`${name}: ${value}`}</Tag>
          ))}
        </Fact>
        <Fact label="Auth type">{authModeName(connection.authMode)}</Fact>
        <Fact label="Token expires">
          <TokenExpiry at={connection.tokenExpiresAt} isRefreshable={connection.isRefreshable} />
        </Fact>
        <RefreshFacts {...connection} />
        <Fact label="Last fetched">
          <RelativeTime at={connection.lastUsedAt} empty="Never" />
        </Fact>
        <Fact label="Created">{formatDateTime(connection.createdAt)}</Fact>
      </FactList>
    </aside>
  );
}
