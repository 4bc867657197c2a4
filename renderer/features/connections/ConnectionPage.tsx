import { ActionIcon, Button, Menu, Tabs } from '@mantine/core';
import { IconDots, IconPlugConnected, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, Navigate, useLocation, useNavigate, useParams } from 'react-router';
import { useConnectionChanged, useRefreshConnection } from '../../api/connections/connections-mutations.ts';
import { type ConnectionRef, connectionQueryOptions } from '../../api/connections/connections-queries.ts';
import type { ConnectionDetail } from '../../api/contract.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { connectionLook } from '../../components/connection/connection-columns.tsx';
import { PersonMark } from '../../components/connection/PersonMark.tsx';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { useConnectOverlay } from '../../components/connection/use-connect-overlay.tsx';
import { firstClick } from '../../components/form/first-click.ts';
import { UnsavedGuard } from '../../components/form/UnsavedGuard.tsx';
import { PlaygroundButton } from '../../components/function/PlaygroundButton.tsx';
import { notifyError } from '../../components/notice/notify.ts';
import { PinButton } from '../../components/PinButton.tsx';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { ErrorPage } from '../../components/page/ErrorPanel.tsx';
import { NotFoundPage } from '../../components/page/NotFoundPage.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { PageSkeleton } from '../../components/page/PageSkeleton.tsx';
import { PanelBoundary } from '../../components/page/PanelBoundary.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { isPanelPage } from '../../components/page/panel-page.ts';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { useShell } from '../../components/shell-context.ts';
import { isMissing } from '../../lib/api-error.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { ActivityTab } from './ActivityTab.tsx';
import { AuthProblem, SyncProblem } from './AuthProblem.tsx';
import { AuthTab } from './AuthTab.tsx';
import classes from './ConnectionPage.module.css';
import { ConnectionSettings } from './ConnectionSettings.tsx';
import { ConnectionSide } from './ConnectionSide.tsx';
import { ModelsTab } from './ModelsTab.tsx';
import { SyncsTab } from './SyncsTab.tsx';
import { useConnectionDeletion } from './use-connection-deletion.tsx';

/** A panel of the Syncs tab goes with its parameter. */
const PANEL_PARAMETERS = ['sync'];
const TABS = ['auth', 'syncs', 'records', 'activity', 'settings'];

export function ConnectionPage() {
  const env = useEnv();
  const navigate = useNavigate();
  const { integrationKey = '', connectionId = '', tab = 'auth' } = useParams();
  const { hash } = useLocation();
  const url = useUrlState();
  const { openPlayground } = useShell();
  const { data, error, refetch } = useQuery(connectionQueryOptions(env, { integrationKey, connectionId }));
  const { reconnect, isOpening, overlay } = useReconnect({ integrationKey, connectionId });
  const openSync = tab === 'syncs' ? url.get('sync') : undefined;
  const syncPage = openSync !== undefined && isPanelPage(url) ? openSync : undefined;
  const label = data?.displayName ?? connectionId;
  const ref = { integrationKey, connectionId };
  usePage([
    { label: 'Connections', to: paths.connections(env) },
    ...(syncPage === undefined
      ? [{ label }]
      : [
          { label, to: paths.connection(env, ref) },
          { label: 'Syncs', to: paths.connection(env, ref, 'syncs') },
          { label: syncPage },
        ]),
  ]);
  if (isMissing(error) && !data)
    return <NotFoundPage message={error.message} to={paths.connections(env)} toLabel="All connections" />;
  if (error && !data) return <ErrorPage title={label} error={error} onRetry={() => void refetch()} />;
  if (!data) return <PageSkeleton />;
  // Old links name the tab after `#`.
  if (TABS.includes(hash.slice(1))) return <Navigate to={paths.connection(env, data, hash.slice(1))} replace />;
  const isLocked = data.credentials === null;
  return (
    <UnsavedGuard parameters={PANEL_PARAMETERS}>
      {syncPage === undefined && (
        <>
          <ConnectionHeader connection={data}>
            <PlaygroundButton onClick={() => openPlayground({ integrationKey, connectionId })} />
            {data.isRefreshable && !isLocked && <RefreshButton connection={data} />}
            {/* The banner has its own, and is where the eye goes. */}
            {!needsSignIn(data) && (
              <Button
                variant="default"
                loading={isOpening}
                disabled={isLocked}
                leftSection={<IconPlugConnected size={16} stroke={1.6} />}
                onClick={reconnect}
              >
                Reconnect
              </Button>
            )}
          </ConnectionHeader>
          <AuthProblem connection={data} isOpening={isOpening} onReconnect={reconnect} />
          {tab === 'auth' && <SyncProblem connection={data} />}
          <Tabs value={tab} onChange={(next) => void navigate(paths.connection(env, data, next ?? undefined))}>
            <Tabs.List>
              <Tabs.Tab value="auth">Auth</Tabs.Tab>
              <Tabs.Tab value="syncs">
                Syncs <span className="faint">{formatNumber(data.syncCount)}</span>
              </Tabs.Tab>
              <Tabs.Tab value="records">
                Records <span className="faint">{formatNumber(data.recordCount)}</span>
              </Tabs.Tab>
              <Tabs.Tab value="activity">Activity</Tabs.Tab>
              <Tabs.Tab value="settings">Settings</Tabs.Tab>
            </Tabs.List>
          </Tabs>
        </>
      )}
      <div className={`flex fills ${classes['split']}`} data-covered={openSync === undefined ? undefined : true}>
        <div className={`stack scroll grow ${classes['tab']}`}>
          <PanelBoundary resetKey={tab}>
            {!TABS.includes(tab) && (
              <EmptyState title={`A connection has no tab “${tab}”`} text="The address may be from an older version.">
                <Button component={Link} variant="default" to={paths.connection(env, data)}>
                  Open the connection
                </Button>
              </EmptyState>
            )}
            {tab === 'activity' && <ActivityTab connection={data} />}
            {tab === 'settings' && <ConnectionSettings connection={data} />}
            {tab === 'auth' && <AuthTab connection={data} />}
            {tab === 'syncs' && <SyncsTab connection={data} />}
            {tab === 'records' && <ModelsTab connection={data} />}
          </PanelBoundary>
        </div>
        {openSync === undefined && <ConnectionSide connection={data} isBesideTags={tab === 'auth'} />}
      </div>
      {overlay}
    </UnsavedGuard>
  );
}

function RefreshButton({ connection }: { connection: ConnectionDetail }) {
  const refresh = useRefreshConnection(connection, { done: 'Token refreshed' });
  return (
    <Button
      variant="default"
      leftSection={<IconRefresh size={16} stroke={1.6} />}
      loading={refresh.isPending}
      onClick={firstClick(() => refresh.mutate())}
    >
      Refresh the token
    </Button>
  );
}

const needsSignIn = ({ status }: ConnectionDetail): boolean => status === 'auth_error';

function ConnectionHeader({ connection, children }: { connection: ConnectionDetail; children: ReactNode }) {
  const env = useEnv();
  const name = connection.displayName ?? connection.connectionId;
  const sub = connection.email ?? connection.connectionId;
  return (
    <PageHeader
      logo={
        <span className={classes['logo']}>
          <ProviderLogo provider={connection.provider} name={connection.integrationName} size={40} tile />
          {connection.displayName !== null && <PersonMark name={connection.displayName} />}
        </span>
      }
      title={
        <>
          {connection.integrationName} <span className="faint">×</span> {name}
        </>
      }
      aside={<StatusBadge look={connectionLook(connection)} soft />}
      sub={
        <>
          {sub}
          <CopyButton value={sub} label={connection.email ? 'Copy e-mail' : 'Copy connection ID'} />
        </>
      }
    >
      {children}
      <PinButton
        env={env}
        of={{ kind: 'connection', integrationKey: connection.integrationKey, connectionId: connection.connectionId }}
      />
      <ConnectionMenu connection={connection} />
    </PageHeader>
  );
}

function ConnectionMenu({ connection }: { connection: ConnectionDetail }) {
  const env = useEnv();
  const navigate = useNavigate();
  const { ask, dialog } = useConnectionDeletion(connection, { from: 'page' });
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={32} aria-label="More">
            <IconDots size={16} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            component={Link}
            to={paths.logs(env, { integrations: connection.integrationKey, connections: connection.connectionId })}
          >
            Open logs
          </Menu.Item>
          <Menu.Item onClick={() => void navigate(paths.integration(env, connection.integrationKey))}>
            Open integration
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item data-tone="bad" onClick={ask}>
            Delete connection
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog}
    </>
  );
}

/** Replaces the credentials of a connection and keeps everything else. Render `overlay` somewhere in the page. */
function useReconnect({ integrationKey, connectionId }: ConnectionRef): {
  reconnect: () => void;
  isOpening: boolean;
  overlay: ReactNode;
} {
  const session = useChange('POST /api/v1/connect-sessions', { ownError: true });
  const changed = useConnectionChanged();
  const refetch = (): void => changed({ integrationKey, connectionId });
  const { open, isOpening, overlay } = useConnectOverlay({ onConnect: refetch, onFailure: refetch });
  const reconnect = (): void => {
    open(() => session.mutateAsync({ body: { integrationKey, connectionId } })).catch(notifyError);
  };
  return { reconnect, isOpening, overlay };
}
