import { Button } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Link, useNavigate } from 'react-router';
import { useConnectionBulk } from '../../api/connections/connections-mutations.ts';
import { useConnections } from '../../api/connections/connections-queries.ts';
import type { ConnectionListItem, IntegrationDetail } from '../../api/contract.ts';
import { usePracticeAuthorization } from '../../api/integrations/integrations-mutations.ts';
import { exportList } from '../../api/lists/export-list.ts';
import { OWN_ERROR } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { ConnectionSelection } from '../../components/connection/ConnectionSelection.tsx';
import {
  CONNECTION_STATUSES,
  connectionColumns,
  connectionStatusName,
} from '../../components/connection/connection-columns.tsx';
import { useConnectOverlay } from '../../components/connection/use-connect-overlay.tsx';
import { ExportMenu } from '../../components/list/ExportMenu.tsx';
import { ListFilter, ListFilters } from '../../components/list/ListFilters.tsx';
import { ListTable } from '../../components/list/ListTable.tsx';
import { useList, useSelection } from '../../components/list/use-list.ts';
import { notifyError } from '../../components/notice/notify.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { useColumnLayout } from '../../components/table/use-column-layout.ts';
import { tagActiveRow } from '../../components/tag/tag-active-row.ts';
import { useCommands } from '../../components/use-commands.ts';
import { KEY_MAP } from '../../lib/key-map.ts';
import { paths } from '../../lib/paths.ts';

// Loaded when a menu opens.
const ConnectionRowActions = lazy(async () => ({
  default: (await import('../connections/ConnectionRowActions.tsx')).ConnectionRowActions,
}));

const RowTags = lazy(async () => ({ default: (await import('../connections/RowTags.tsx')).RowTags }));

const COLUMNS = connectionColumns((row, isActive) => (
  <Suspense fallback={null}>
    <RowTags row={row} isActive={isActive} />
  </Suspense>
)).filter((column) => column.id !== 'integration');
const rowKey = (row: ConnectionListItem): string => row.connectionId;

const STATUS_OPTIONS = CONNECTION_STATUSES.map((value) => ({ value, label: connectionStatusName(value) }));

/** The practice providers that ask for the practice account; the others show what to enter. */
const PRACTICE_ACCOUNT_PROVIDERS = ['practice-oauth2', 'practice-oauth1'];

export function IntegrationConnections({ integration }: { integration: IntegrationDetail }) {
  const { key: integrationKey, provider } = integration;
  const env = useEnv();
  const navigate = useNavigate();
  const list = useList({ filters: ['search', 'status'], sort: '-used' });
  const filter = { ...list.filters, integrations: integrationKey, sort: list.sort };
  const rows = useConnections(filter);
  const columns = useColumnLayout('integration-connections', COLUMNS);
  useCommands([{ ...KEY_MAP.tag, run: () => tagActiveRow(columns) }]);
  const bulk = useConnectionBulk(OWN_ERROR);
  const selection = useSelection<ConnectionListItem>(list);
  const practice = usePracticeAuthorization();
  const connect = useConnectOverlay({ onConnect: (made) => void navigate(paths.connection(env, made)) });
  const startPractice = (): void => {
    connect.open(() => practice.mutateAsync(integrationKey)).catch(notifyError);
  };
  const isPractice = PRACTICE_ACCOUNT_PROVIDERS.includes(provider);
  return (
    <>
      <ListFilters
        isBelowTabs
        list={list}
        search="Name, ID, e-mail or tag"
        columns={columns}
        end={
          <ExportMenu
            fileName={`connections-${integrationKey}`}
            read={(options) => exportList({ list: 'GET /api/v1/connections', query: { env, ...filter }, ...options })}
          />
        }
      >
        <ListFilter list={list} name="status" label="Status" options={STATUS_OPTIONS} />
      </ListFilters>
      <ListTable
        list={list}
        label="Connections"
        columns={columns}
        rows={rows}
        rowKey={rowKey}
        rowId={rowKey}
        rowPath={(row) => paths.connection(env, row)}
        rowMenu={(row, items) => <ConnectionRowActions row={row}>{items}</ConnectionRowActions>}
        selection={selection}
        describeFilter={{ status: connectionStatusName }}
        nothingFits="No connection of this integration matches the search and filter."
        nothing={
          <EmptyState title="No connections yet" text="A connection holds one user's sign-in to this provider.">
            {isPractice && (
              <Button variant="default" loading={connect.isOpening} onClick={startPractice}>
                Try the practice provider
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
      <ConnectionSelection
        env={env}
        selection={selection}
        rows={rows}
        columns={columns}
        rowKey={rowKey}
        send={bulk.mutateAsync}
        exportFile={async (order) => (await import('../../api/transfer/write-export.ts')).writeExport(env, order)}
      />
      {connect.overlay}
    </>
  );
}
