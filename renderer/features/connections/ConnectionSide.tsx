import { Link } from 'react-router';
import type { ConnectionDetail } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { TokenExpiry } from '../../components/connection/TokenExpiry.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Tag } from '../../components/tag/Tag.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { useNow } from '../../components/time/use-now.ts';
import { authModeName } from '../../lib/auth-modes.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { formatDateTime, formatMinutes } from '../../lib/format-time.ts';
import { paths } from '../../lib/paths.ts';
import type { StatusLook } from '../../lib/status.ts';
import classes from './ConnectionPage.module.css';

const REFUSED: StatusLook = { label: 'Failed', tone: 'bad', icon: 'alert' };

function RefreshFacts(connection: ConnectionDetail) {
  const { lastRefresh, nextRefreshAt, status } = connection;
  const now = useNow();
  return (
    <>
      {lastRefresh && (
        // A success is the newest token, from a refresh or from a sign-in: the token history tells which.
        <Fact label={lastRefresh.succeeded ? 'Token received' : 'Last refresh'}>
          {!lastRefresh.succeeded && <StatusBadge look={REFUSED} />}
          <RelativeTime at={lastRefresh.at} />
        </Fact>
      )}
      {nextRefreshAt && status !== 'auth_error' && (
        <Fact label="Next refresh">
          {Date.parse(nextRefreshAt) > now ? (
            <span>
              When it is used, <RelativeTime at={nextRefreshAt} /> or later
            </span>
          ) : (
            'When it is used next'
          )}
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

const HOUR_MS = 3_600_000;

/** The elapsed part of the token's lifetime; undefined when its start or end is unknown, or it has expired. */
function TokenLife({ connection: { lastRefresh, tokenExpiresAt } }: { connection: ConnectionDetail }) {
  const now = useNow();
  const from = lastRefresh?.succeeded ? Date.parse(lastRefresh.at) : Number.NaN;
  const to = tokenExpiresAt === null ? Number.NaN : Date.parse(tokenExpiresAt);
  if (!(from < to && now < to)) return null;
  const share = Math.min(Math.max((now - from) / (to - from), 0), 1);
  const show = (ms: number): string =>
    to - from < 24 * HOUR_MS ? formatMinutes(new Date(ms)) : formatDateTime(new Date(ms).toISOString());
  return (
    <span className="pt-4" style={{ flex: '1 1 100%' }}>
      <span className={classes['lifeBar']} style={{ display: 'block' }} aria-hidden>
        <i data-amount style={{ width: `${share * 100}%` }} data-low={share > 0.9 || undefined} />
      </span>
      <span className="faint tiny flex between" style={{ paddingTop: 2 }}>
        <span>{show(from)} issued</span>
        <span>{show(to)}</span>
      </span>
    </span>
  );
}

/** The tab of the authorization lists every tag; here, more would push the other facts out of sight. */
const MAX_TAGS = 8;

interface ConnectionSideProps {
  connection: ConnectionDetail;
  /** The tags are beside it, where they are edited. */
  isBesideTags: boolean;
}

export function ConnectionSide({ connection, isBesideTags }: ConnectionSideProps) {
  const env = useEnv();
  // What the user's own facts say already.
  const tags = Object.entries(connection.tags).filter(([name]) => !connection.endUser || !name.startsWith('end_user_'));
  const shown = tags.length > MAX_TAGS ? tags.slice(0, MAX_TAGS - 1) : tags;
  return (
    <aside className={`rigid scroll ${classes['side']}`} aria-label="About this connection">
      <FactList>
        <Fact label="Connection ID">
          <CopyRow value={connection.connectionId} label="Copy connection ID" />
        </Fact>
        <UserFacts {...connection} />
        {!isBesideTags && tags.length > 0 && (
          <Fact label="Tags">
            {shown.map(([name, value]) => (
              <Tag key={name}>{`${name}: ${value}`}</Tag>
            ))}
            {tags.length > shown.length && (
              <Link to={paths.connection(env, connection)}>{formatNumber(tags.length - shown.length)} more</Link>
            )}
          </Fact>
        )}
        <Fact label="Auth type">{authModeName(connection.authMode)}</Fact>
        <Fact label="Token expires">
          <TokenExpiry at={connection.tokenExpiresAt} isRefreshable={connection.isRefreshable} />
          <TokenLife connection={connection} />
        </Fact>
        <RefreshFacts {...connection} />
        <Fact label="Last fetched">
          <RelativeTime at={connection.lastUsedAt} empty="Never" />
        </Fact>
        <Fact label="Used by">
          {connection.usedBy.length === 0 && <span className="faint">No app in the last 7 days</span>}
          {connection.usedBy.map(({ keyId, name, at }) => (
            <span key={keyId} style={{ flex: '1 1 100%' }}>
              <Link to={paths.apps(env)}>{name}</Link> <RelativeTime at={at} />
            </span>
          ))}
        </Fact>
        <Fact label="Created">{formatDateTime(connection.createdAt)}</Fact>
      </FactList>
    </aside>
  );
}
