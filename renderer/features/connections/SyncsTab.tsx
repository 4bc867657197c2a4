import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { Link } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import { useSyncCommand } from '../../api/connections/connections-mutations.ts';
import { syncsQueryOptions } from '../../api/connections/connections-queries.ts';
import type { ConnectionDetail, SyncCommand, SyncListItem } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { notifyDone, notifyError } from '../../components/notify.ts';
import { SplitView } from '../../components/SplitView.tsx';
import { wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useUrlState } from '../../components/use-url-state.ts';
import { paths } from '../../lib/paths.ts';
import { SyncPanel } from './SyncPanel.tsx';
import classes from './SyncsTab.module.css';
import { syncColumns } from './sync-columns.tsx';

export function SyncsTab({ connection }: { connection: ConnectionDetail }) {
  const env = useEnv();
  const syncs = useQuery(syncsQueryOptions(env, connection));
  const url = useUrlState();
  const grid = useRef<HTMLDivElement>(null);
  const openKey = url.get('sync');
  const rows = syncs.data ?? [];
  const open = rows.find((row) => keyOf(row) === openKey);
  const step = (by: 1 | -1): void => {
    const next = rows[rows.findIndex((row) => keyOf(row) === openKey) + by];
    if (next) url.set({ sync: keyOf(next) }, { replace: true });
  };
  const close = (): void => {
    url.set({ sync: '' });
    grid.current?.querySelector<HTMLElement>('[role=grid]')?.focus();
  };
  const { integrationKey, connectionId } = connection;
  const columns = useMemo(() => syncColumns({ integrationKey, connectionId }), [integrationKey, connectionId]);
  return (
    <SplitView
      panel={open && <SyncPanel key={keyOf(open)} sync={open} connection={connection} onClose={close} onStep={step} />}
    >
      {(syncs.data?.length ?? 0) > 0 && <AllSyncs connection={connection} syncs={syncs.data ?? []} />}
      <div ref={grid} className={classes['table']}>
        <DataTable
          label="Syncs"
          isMain
          columns={columns}
          source={wholeRows(syncs)}
          rowHeight={52}
          rowKey={keyOf}
          openKey={open && keyOf(open)}
          onOpen={(row) => url.set({ sync: keyOf(row) }, { replace: openKey !== undefined })}
          onClose={close}
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
      </div>
    </SplitView>
  );
}

const keyOf = ({ name, variant }: SyncListItem): string => (variant === 'base' ? name : `${name}::${variant}`);

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
