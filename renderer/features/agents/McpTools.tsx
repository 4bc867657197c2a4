import { Button, Menu, Select } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { Link } from 'react-router';
import type { ConnectionRef } from '../../api/connections/connections-queries.ts';
import type { McpClientRow, McpToolRow } from '../../api/contract.ts';
import { mcpToolsQueryOptions } from '../../api/mcp/mcp-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { Toolbar } from '../../components/list/Toolbar.tsx';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { useShell } from '../../components/shell-context.ts';
import { type Column, wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { choiceOf, RISK_LOOK } from '../../lib/mcp-policy.ts';
import { paths } from '../../lib/paths.ts';
import classes from './AgentsPage.module.css';
import { ConnectionPicker } from './ConnectionPicker.tsx';
import { NoConnection } from './NoConnection.tsx';
import { PolicyItems, PolicySelect } from './PolicySelect.tsx';
import { useChosenConnection } from './use-chosen-connection.ts';

/** As for the tables themselves (DataTable.module.css). */
const NARROW = '(max-width: 640px)';

/** The permissions of one client for the tools of one connection. */
export function McpTools({ clients }: { clients: McpClientRow[] }) {
  const url = useUrlState();
  const { connection, choose } = useChosenConnection();
  const named = clients.find(({ id }) => String(id) === url.get('client'));
  const client = named ?? clients.find(({ isAgent }) => isAgent) ?? clients[0];
  if (connection === null) return <NoConnection />;
  if (!client)
    return (
      <EmptyState
        title="No clients yet"
        text="A client is a key that may call tools. Create one for each agent, to decide what each may do."
      />
    );
  if (!connection) return null;
  return (
    <>
      <div style={{ paddingTop: 10 }}>
        <Toolbar>
          <Select
            w={180}
            aria-label="Client"
            data={clients.map(({ id, name }) => ({ value: String(id), label: name }))}
            value={String(client.id)}
            onChange={(id) => url.set({ client: id ?? '' }, { replace: true })}
          />
          <ConnectionPicker connection={connection} onChoose={choose} />
        </Toolbar>
      </div>
      <ToolTable client={client} connection={connection} />
    </>
  );
}

function ToolTable({ client, connection }: { client: McpClientRow; connection: ConnectionRef }) {
  const env = useEnv();
  const { integrationKey, connectionId } = connection;
  const tools = useQuery(mcpToolsQueryOptions(env, client.id, connection));
  const { openPlayground } = useShell();
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false }) ?? false;
  const attempt = useCallback(
    (name: string) => openPlayground({ kind: 'action', integrationKey, connectionId, name }),
    [openPlayground, integrationKey, connectionId],
  );
  const columns = useMemo(
    () => toolColumns(env, { clientId: client.id, integrationKey, connectionId }, isNarrow, attempt),
    [env, client.id, integrationKey, connectionId, isNarrow, attempt],
  );
  return (
    <DataTable
      label="Tools"
      columns={columns}
      source={wholeRows(tools)}
      rowKey={(row) => row.name}
      rowId={(row) => row.name}
      rowMenu={(row, items) => (
        <Menu.Dropdown>
          <Menu.Item onClick={() => attempt(row.name)}>Try in the playground</Menu.Item>
          <Menu.Item component={Link} to={paths.function(env, { integrationKey, name: row.name, type: 'action' })}>
            Open function
          </Menu.Item>
          <Menu.Divider />
          <PolicyItems
            about={{ clientId: client.id, integrationKey, connectionId, tool: row.name }}
            choice={choiceOf(row)}
            risk={row.risk}
          />
          <Menu.Divider />
          {items}
        </Menu.Dropdown>
      )}
      rowHeight={48}
      empty={
        <EmptyState
          title="No tools yet"
          text="The tools are the enabled actions of the integration that take an object or no input."
        >
          <Button component={Link} variant="default" to={paths.integration(env, integrationKey)}>
            Functions of {integrationKey}
          </Button>
        </EmptyState>
      }
    />
  );
}

function toolColumns(
  env: string,
  endpoint: ConnectionRef & { clientId: number },
  isNarrow: boolean,
  onTry: (name: string) => void,
): Column<McpToolRow>[] {
  const { integrationKey } = endpoint;
  const link = (name: string) => (
    <Link to={paths.function(env, { integrationKey, name, type: 'action' })} className="cut" tabIndex={-1}>
      <code className="name">{name}</code>
    </Link>
  );
  const risk: Column<McpToolRow> = {
    id: 'risk',
    header: 'Risk',
    width: 84,
    cell: (row) => <StatusBadge look={RISK_LOOK[row.risk]} />,
  };
  const policy: Column<McpToolRow> = {
    id: 'policy',
    header: 'Policy',
    width: 140,
    cell: (row, isActive) => (
      <PolicySelect
        about={{ ...endpoint, tool: row.name }}
        choice={choiceOf(row)}
        risk={row.risk}
        isActive={isActive}
      />
    ),
  };
  const attempt: Column<McpToolRow> = {
    id: 'try',
    header: '',
    isAtEnd: true,
    width: 64,
    align: 'right',
    cell: ({ name }, isActive) => (
      <Button
        size="xs"
        variant="subtle"
        tabIndex={isActive ? 0 : -1}
        aria-label={`Try ${name}`}
        onClick={() => onTry(name)}
      >
        Try
      </Button>
    ),
  };
  // Tool and policy stand side by side without scrolling; "Decisions" has the times.
  if (isNarrow)
    return [
      {
        id: 'name',
        header: 'Tool',
        width: 132,
        grow: true,
        cell: ({ name, description }) => (
          <span className={`stack ${classes['tool']}`}>
            {link(name)}
            <span className="soft cut">{description}</span>
          </span>
        ),
      },
      policy,
      risk,
      attempt,
    ];
  return [
    { id: 'name', header: 'Tool', width: 180, cell: ({ name }) => link(name) },
    {
      id: 'description',
      header: 'What it does',
      width: 200,
      grow: true,
      cell: ({ description }) => <span className="soft cut">{description}</span>,
    },
    risk,
    { ...policy, width: 156 },
    {
      id: 'decided',
      header: 'Decided',
      width: 96,
      align: 'right',
      cell: ({ decidedAt }) => <RelativeTime at={decidedAt} />,
    },
    attempt,
  ];
}
