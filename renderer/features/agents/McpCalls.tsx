import { Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'react-router';
import type { ToolCallRow } from '../../api/contract.ts';
import { mcpCallsQueryOptions } from '../../api/mcp/mcp-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { type Column, wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { paths } from '../../lib/paths.ts';
import { lookOf, OPERATION_LOOK } from '../../lib/status.ts';

/** Calls of clients, refused ones included; each is an operation of the log. */
export function McpCalls() {
  const env = useEnv();
  const columns = useMemo(() => callColumns(env), [env]);
  return (
    <DataTable
      label="Calls"
      columns={columns}
      source={wholeRows(useQuery(mcpCallsQueryOptions(env)))}
      rowKey={({ operationId }) => operationId}
      rowId={({ operationId }) => operationId}
      rowMenu={({ integrationKey, connectionId, operationId }, items) => (
        <Menu.Dropdown>
          <Menu.Item component={Link} to={paths.operation(env, operationId)}>
            Open in logs
          </Menu.Item>
          {integrationKey && connectionId && (
            <Menu.Item component={Link} to={paths.connection(env, { integrationKey, connectionId })}>
              Open connection
            </Menu.Item>
          )}
          <Menu.Divider />
          {items}
        </Menu.Dropdown>
      )}
      empty={
        <EmptyState
          title="No calls yet"
          text="Every call of a client is listed here with its result, refused ones too."
        />
      }
    />
  );
}

function callColumns(env: string): Column<ToolCallRow>[] {
  return [
    {
      id: 'tool',
      header: 'Tool',
      width: 170,
      cell: ({ tool, operationId }, isActive) => (
        <Link to={paths.operation(env, operationId)} className="cut" tabIndex={isActive ? 0 : -1}>
          <code className="name">{tool}</code>
        </Link>
      ),
    },
    { id: 'client', header: 'Client', width: 130, cell: (row) => <span className="cut">{row.clientName}</span> },
    {
      id: 'state',
      header: 'Result',
      width: 110,
      cell: ({ state }) => <StatusBadge look={lookOf(OPERATION_LOOK, state)} />,
    },
    {
      id: 'why',
      header: 'Why',
      width: 180,
      grow: true,
      cell: ({ error }) => <span className="soft cut">{error}</span>,
    },
    {
      id: 'connection',
      header: 'Connection',
      width: 150,
      cell: ({ integrationKey, connectionId }) => (
        <span className="soft cut">{[integrationKey, connectionId].filter(Boolean).join(', ')}</span>
      ),
    },
    { id: 'at', header: 'When', width: 96, align: 'right', cell: ({ at }) => <RelativeTime at={at} /> },
  ];
}
