import { Button } from '@mantine/core';
import { Link, useNavigate } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import { useConnections } from '../../api/use-connections.ts';
import { useEnv } from '../../api/use-env.ts';
import { connectionColumns } from '../../components/connection-columns.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useUrlState } from '../../components/use-url-state.ts';
import { paths, windowHref } from '../../lib/paths.ts';

const COLUMNS = connectionColumns().filter((column) => column.id !== 'integration');

export function IntegrationConnections({ integrationKey }: { integrationKey: string }) {
  const env = useEnv();
  const navigate = useNavigate();
  const url = useUrlState();
  const sort = url.get('sort') ?? '-used';
  const rows = useConnections({ integrations: integrationKey, sort });
  return (
    <DataTable
      label="Connections"
      columns={COLUMNS}
      source={rows}
      rowKey={(row) => row.connectionId}
      sort={sort}
      onSort={(next) => url.set({ sort: next })}
      onOpen={(row) => void navigate(paths.connection(env, row))}
      rowHref={(row) => windowHref(paths.connection(env, row))}
      describeError={describeError}
      empty={
        <EmptyState title="No connections yet" text="A connection holds one user's sign-in to this provider.">
          <Button component={Link} to={paths.newConnection(env, integrationKey)} variant="default">
            New connection
          </Button>
        </EmptyState>
      }
    />
  );
}
