import { Button } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, useMemo, useRef } from 'react';
import { Link } from 'react-router';
import { syncsQueryOptions } from '../../api/connections/connections-queries.ts';
import { useSyncBulk } from '../../api/connections/sync-mutations.ts';
import type { ConnectionDetail, SyncListItem } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { firstClick } from '../../components/form/first-click.ts';
import { SyncCommandBar, type SyncCommandOptions, useSyncCommands } from '../../components/function/SyncCommandBar.tsx';
import { useSelection } from '../../components/list/use-list.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { NotFoundPage } from '../../components/page/NotFoundPage.tsx';
import { CLOSED_PAGE, isPanelPage, OPEN_PAGE } from '../../components/page/panel-page.ts';
import { PANELS } from '../../components/page/panel-width.ts';
import { SidePanel } from '../../components/page/SidePanel.tsx';
import { SplitView } from '../../components/page/SplitView.tsx';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { ColumnsMenu } from '../../components/table/ColumnsMenu.tsx';
import { type Column, wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useColumnLayout } from '../../components/table/use-column-layout.ts';
import { useFocusAfter } from '../../components/use-focus-after.ts';
import { paths } from '../../lib/paths.ts';
import { SyncActions } from './SyncMenu.tsx';
import classes from './SyncsTab.module.css';
import { keyOf, syncColumns } from './sync-columns.tsx';

const SyncPanel = lazy(async () => ({ default: (await import('./SyncPanel.tsx')).SyncPanel }));

/** Pixels, for two lines. */
const ROW_HEIGHT = 52;

/** Below these widths a column is left out, so that the numbers beside the menu are whole. */
const LEAST_WIDTHS: Readonly<Record<string, number>> = { runs: 792, frequency: 684, next: 580 };

/** Before it is measured, the width is 0. */
const fittingColumns = (all: Column<SyncListItem>[], width: number): Column<SyncListItem>[] =>
  width === 0 ? all : all.filter(({ id }) => width >= (LEAST_WIDTHS[id] ?? 0));

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
  const close = (): void => url.set({ sync: undefined, ...CLOSED_PAGE });
  // After the panel is gone: with unsaved input it may stay.
  useFocusAfter(openKey !== undefined, () => grid.current?.querySelector<HTMLElement>('[role=grid]'));
  const { integrationKey, integrationName, connectionId } = connection;
  const all = useMemo(
    () => syncColumns({ integrationKey, integrationName, connectionId }),
    [integrationKey, integrationName, connectionId],
  );
  const { ref: sized, width } = useElementSize<HTMLDivElement>();
  const box = useMergedRef(grid, sized);
  const fitting = useMemo(() => fittingColumns(all, width), [all, width]);
  const columns = useColumnLayout('syncs', fitting);
  const selection = useSelection<SyncListItem>({ filters: {} });
  const source = wholeRows(syncs);
  const bulk = useSyncBulk();
  const commands: SyncCommandOptions<SyncListItem> = {
    nameOf: keyOf,
    send: ({ command, rows: some }) =>
      bulk.mutateAsync({
        command,
        targets: some.map(({ name, variant }) => ({ integrationKey, connectionId, sync: name, variant })),
      }),
  };
  const order = useSyncCommands(commands);
  const isGone = openKey !== undefined && syncs.data !== undefined && open === undefined;
  const goneText = `This connection has no sync “${openKey}”`;
  if (isGone && isPanelPage(url))
    return <NotFoundPage message={goneText} to={paths.connection(env, connection, 'syncs')} toLabel="All syncs" />;
  return (
    <SplitView
      panelWidth={PANELS.sync}
      panel={
        open ? (
          <SyncPanel key={keyOf(open)} sync={open} connection={connection} onClose={close} onStep={step} />
        ) : (
          isGone && (
            <SidePanel width={PANELS.sync} label={`Sync ${openKey}`} title="Not found" onClose={close}>
              <EmptyState title={goneText} text="It was deleted or renamed, or the link is old." />
            </SidePanel>
          )
        )
      }
    >
      {(rows.length > 0 || syncs.isPending) && (
        <div className={`rigid line-below flex gap-8 wrap ${classes['bar']}`}>
          <Button
            variant="subtle"
            size="xs"
            leftSection={<IconPlayerPause size={14} stroke={1.6} />}
            onClick={firstClick(() => order('PAUSE', rows))}
          >
            Pause all
          </Button>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlayerPlay size={14} stroke={1.6} />}
            onClick={firstClick(() => order('RUN', rows))}
          >
            Run all
          </Button>
          <ColumnsMenu layout={columns} rowHeight={ROW_HEIGHT} />
        </div>
      )}
      <div ref={box} className={`stack fills ${classes['table']}`}>
        <DataTable
          label="Syncs"
          isMain
          columns={columns}
          source={source}
          rowHeight={ROW_HEIGHT}
          rowKey={keyOf}
          rowId={({ name }) => name}
          rowMenu={(row, items) => (
            <SyncActions row={row} connection={connection}>
              {items}
            </SyncActions>
          )}
          selection={selection}
          openKey={open && keyOf(open)}
          rowHref={(row) => url.href({ sync: keyOf(row) })}
          onOpen={(row) => url.set({ sync: keyOf(row) }, { replace: openKey !== undefined })}
          onOpenPage={(row) => url.set({ sync: keyOf(row), ...OPEN_PAGE })}
          onClose={isPanelPage(url) ? () => url.set(CLOSED_PAGE) : close}
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
      <SyncCommandBar selection={selection} rows={source} columns={columns} rowKey={keyOf} {...commands} />
    </SplitView>
  );
}
