import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useNavigate } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import { useSyncCommand } from '../../api/connections/connections-mutations.ts';
import { syncsQueryOptions } from '../../api/connections/connections-queries.ts';
import type { ConnectionDetail, SyncCommand, SyncListItem } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { notifyDone, notifyError } from '../../components/notify.ts';
import { wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { paths } from '../../lib/paths.ts';
import classes from './SyncsTab.module.css';
import { syncColumns } from './sync-columns.tsx';

export function SyncsTab({ connection }: { connection: ConnectionDetail }) {
  const env = useEnv();
  const navigate = useNavigate();
  const syncs = useQuery(syncsQueryOptions(env, connection));
  const { integrationKey, connectionId } = connection;
  const columns = useMemo(() => syncColumns({ integrationKey, connectionId }), [integrationKey, connectionId]);
  return (
    <>
      {(syncs.data?.length ?? 0) > 0 && <AllSyncs connection={connection} syncs={syncs.data ?? []} />}
      <DataTable
        label="Syncs"
        columns={columns}
        source={wholeRows(syncs)}
        rowHeight={52}
        rowKey={(row) => `${row.name}::${row.variant}`}
        onOpen={(row) => row.lastRun && void navigate(paths.operation(env, row.lastRun.operationId))}
        describeError={describeError}
        empty={
          <EmptyState
            title="No syncs"
            text="No function of this integration is a sync. Syncs fetch records on a schedule."
          >
            <Button variant="default" component={Link} to={paths.integration(env, integrationKey, 'functions')}>
              Open functions
            </Button>
          </EmptyState>
        }
      />
    </>
  );
}

function AllSyncs({ connection, syncs }: { connection: ConnectionDetail; syncs: SyncListItem[] }) {
  const command = useSyncCommand(connection);
  const orderAll = async (what: SyncCommand, done: string): Promise<void> => {
    try {
      for (const { name, variant } of syncs) await command.mutateAsync({ sync: name, variant, command: what });
      notifyDone(done);
    } catch (error) {
      notifyError(describeError(error));
    }
  };
  return (
    <div className={classes['bar']}>
      <Button
        size="xs"
        variant="subtle"
        leftSection={<IconPlayerPause size={14} stroke={1.6} />}
        onClick={() => void orderAll('PAUSE', 'All syncs paused')}
      >
        Pause all
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlayerPlay size={14} stroke={1.6} />}
        onClick={() => void orderAll('RUN', 'All syncs started')}
      >
        Run all
      </Button>
    </div>
  );
}
