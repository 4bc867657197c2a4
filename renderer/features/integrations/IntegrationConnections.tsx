import { Button } from '@mantine/core';
import { Link, useNavigate } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import { useConnections } from '../../api/connections/connections-queries.ts';
import type { IntegrationDetail } from '../../api/contract.ts';
import { usePracticeSignIn } from '../../api/integrations/integrations-mutations.ts';
import { useEnv } from '../../api/use-env.ts';
import { connectionColumns } from '../../components/connection-columns.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ListTable } from '../../components/list/ListTable.tsx';
import { useList } from '../../components/list/use-list.ts';
import { notifyError } from '../../components/notify.ts';
import { useConnectOverlay } from '../../components/use-connect-overlay.tsx';
import { paths } from '../../lib/paths.ts';

const COLUMNS = connectionColumns().filter((column) => column.id !== 'integration');

/** What one signs in to with the practice account; the other practice entries say themselves what to type. */
const PRACTICE_SIGN_INS = ['practice-oauth2', 'practice-oauth1'];

export function IntegrationConnections({ integration }: { integration: IntegrationDetail }) {
  const { key: integrationKey, provider } = integration;
  const env = useEnv();
  const navigate = useNavigate();
  const list = useList({ filters: [], sort: '-used' });
  const rows = useConnections({ integrations: integrationKey, sort: list.sort });
  const practice = usePracticeSignIn();
  const connect = useConnectOverlay({ onConnect: (made) => void navigate(paths.connection(env, made)) });
  const startPractice = (): void => {
    connect
      .open(() => practice.mutateAsync(integrationKey))
      .catch((error: unknown) => notifyError(describeError(error)));
  };
  const isPractice = PRACTICE_SIGN_INS.includes(provider);
  return (
    <>
      <ListTable
        list={list}
        label="Connections"
        columns={COLUMNS}
        rows={rows}
        rowKey={(row) => row.connectionId}
        rowPath={(row) => paths.connection(env, row)}
        describeError={describeError}
        nothingFits="No connection fits."
        nothing={
          <EmptyState title="No connections yet" text="A connection holds one user's sign-in to this provider.">
            {isPractice && (
              <Button variant="default" loading={connect.isOpening} onClick={startPractice}>
                Connect the practice account
              </Button>
            )}
            {!isPractice && (
              <Button component={Link} to={paths.newConnection(env, integrationKey)} variant="default">
                New connection
              </Button>
            )}
          </EmptyState>
        }
      />
      {connect.overlay}
    </>
  );
}
