import { Box, Button } from '@mantine/core';
import { useEffect } from 'react';
import { Link } from 'react-router';
import type { ConnectionDetail } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { focusIfLost } from '../../components/focus-if-lost.ts';
import { Banner } from '../../components/page/Banner.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatCount } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';

interface AuthProblemProps {
  connection: ConnectionDetail;
  isOpening: boolean;
  onReconnect: () => void;
}

/** A notice above every tab that the credentials do not work: nothing below does until they are renewed or replaced. */
export function AuthProblem({ connection, isOpening, onReconnect }: AuthProblemProps) {
  const env = useEnv();
  const error = connection.errors.find((one) => one.type === 'auth');
  const isShown = connection.status === 'auth_error';
  // The notice goes with its buttons when the account is connected again.
  useEffect(() => (isShown ? () => focusIfLost(document.querySelector('h1')) : undefined), [isShown]);
  if (!isShown) return null;
  const { lastRefresh, tokenExpiresAt } = connection;
  // A provider that could not be reached refused nothing.
  const problem =
    lastRefresh?.succeeded === false ? 'The token could not be refreshed.' : 'The user needs to sign in again.';
  const reason = error ? (
    (lastRefresh?.message ?? 'The credentials were refused.')
  ) : (
    <>
      The access expired {tokenExpiresAt && <RelativeTime at={tokenExpiresAt} />}, and there is no refresh token with
      which Homeport could renew it.
    </>
  );
  return (
    <Box px="var(--hp-gutter)">
      <Banner
        tone="bad"
        actions={
          <>
            {error && (
              <Button size="xs" variant="default" component={Link} to={paths.operation(env, error.operationId)}>
                Open log
              </Button>
            )}
            <Button size="xs" loading={isOpening} onClick={onReconnect}>
              Reconnect
            </Button>
          </>
        }
      >
        <b>{problem}</b> {reason}
      </Banner>
    </Box>
  );
}

/** A notice on the first tab that syncs fail: which log tells why, and where they are. */
export function SyncProblem({ connection }: { connection: ConnectionDetail }) {
  const env = useEnv();
  const failing = connection.errors.filter(({ type }) => type === 'sync');
  const [first] = failing;
  if (connection.status !== 'sync_error' || !first) return null;
  return (
    <Box px="var(--hp-gutter)">
      <Banner
        tone="bad"
        actions={
          <>
            <Button size="xs" variant="default" component={Link} to={paths.operation(env, first.operationId)}>
              Open log
            </Button>
            <Button size="xs" component={Link} to={paths.connection(env, connection, 'syncs')}>
              {failing.length === 1 ? 'Show the sync' : 'Show the syncs'}
            </Button>
          </>
        }
      >
        <b>{failing.length === 1 ? 'A sync fails.' : `${formatCount(failing.length, 'sync')} fail.`}</b> The credentials
        work, and what was saved before stays.
      </Banner>
    </Box>
  );
}
