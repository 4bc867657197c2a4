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
import { SelectionBar } from '../../components/list/SelectionBar.tsx';
import { useSelection } from '../../components/list/use-list.ts';
import { notifyDone, notifyError } from '../../components/notify.ts';
import { SplitView } from '../../components/SplitView.tsx';
import { ColumnsMenu } from '../../components/table/ColumnsMenu.tsx';
import { wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useColumnLayout } from '../../components/table/use-column-layout.ts';
import { useUrlState } from '../../components/use-url-state.ts';
import { formatCount } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { SyncPanel } from './SyncPanel.tsx';
import classes from './SyncsTab.module.css';
import { keyOf, syncColumns } from './sync-columns.tsx';

/** For two lines. */
const ROW_HEIGHT = 52;

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
  const all = useMemo(() => syncColumns({ integrationKey, connectionId }), [integrationKey, connectionId]);
  const columns = useColumnLayout('syncs', all);
  const selection = useSelection<SyncListItem>({ filters: {} });
  const source = wholeRows(syncs);
  return (
    <SplitView
      panel={open && <SyncPanel key={keyOf(open)} sync={open} connection={connection} onClose={close} onStep={step} />}
    >
      {rows.length > 0 && (
        <div className={classes['bar']}>
          <SyncCommands connection={connection} syncs={rows} of="all" />
          <ColumnsMenu layout={columns} rowHeight={ROW_HEIGHT} />
        </div>
      )}
      <div ref={grid} className={classes['table']}>
        <DataTable
          label="Syncs"
          isMain
          columns={columns}
          source={source}
          rowHeight={ROW_HEIGHT}
          rowKey={keyOf}
          rowId={({ name }) => name}
          selection={selection}
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
      <SelectionBar selection={selection} rows={source} columns={columns} rowKey={keyOf} describeError={describeError}>
        <SyncCommands connection={connection} syncs={[...selection.value.rows.values()]} of="selected" />
      </SelectionBar>
    </SplitView>
  );
}

interface SyncCommandsProps {
  connection: ConnectionDetail;
  syncs: SyncListItem[];
  of: 'all' | 'selected';
}

/** Orders each of the syncs to run or to pause; the first refusal ends it. */
function SyncCommands({ connection, syncs, of }: SyncCommandsProps) {
  const command = useSyncCommand(connection);
  const order = async (what: SyncCommand, done: string): Promise<void> => {
    try {
      for (const { name, variant } of syncs) await command.mutateAsync({ sync: name, variant, command: what });
      notifyDone(of === 'all' ? `All syncs ${done}` : `${formatCount(syncs.length, 'sync')} ${done}`);
    } catch (error) {
      notifyError(describeError(error));
    }
  };
  const suffix = of === 'all' ? ' all' : '';
  return (
    <>
      <Button
        variant="subtle"
        size={of === 'all' ? 'xs' : 'sm'}
        leftSection={<IconPlayerPause size={14} stroke={1.6} />}
        onClick={() => void order('PAUSE', 'paused')}
      >
        Pause{suffix}
      </Button>
      <Button
        variant={of === 'all' ? 'default' : 'subtle'}
        size={of === 'all' ? 'xs' : 'sm'}
        leftSection={<IconPlayerPlay size={14} stroke={1.6} />}
        onClick={() => void order('RUN', 'started')}
      >
        Run{suffix}
      </Button>
    </>
  );
}
