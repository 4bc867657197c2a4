import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { Link } from 'react-router';
import type { McpClientRow } from '../../api/contract.ts';
import { mcpClientsQueryOptions } from '../../api/mcp/mcp-queries.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { type Column, wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { Tag } from '../../components/tag/Tag.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { paths } from '../../lib/paths.ts';

/** The clients that may call tools, each with a key of its own. */
export function McpClients() {
  const env = useEnv();
  const columns = useMemo(() => clientColumns(env), [env]);
  return (
    <>
      <p className="gutter soft pt-12 pb-12">
        Clients with a key use the older address. A program that is set up under Programs needs none, and its access
        ends by itself.
      </p>
      <DataTable
        label="Clients"
        columns={columns}
        source={wholeRows(useQuery(mcpClientsQueryOptions(env)))}
        rowKey={({ id }) => String(id)}
        rowMenu={(row, items) => <ClientActions client={row}>{items}</ClientActions>}
        // The default key may call tools too, so there is always one.
        empty={null}
      />
    </>
  );
}

function clientColumns(env: string): Column<McpClientRow>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      width: 160,
      grow: true,
      cell: ({ name, isAgent }) => (
        <span className="row">
          <span className="name cut">{name}</span>
          {!isAgent && <Tag>more than tools</Tag>}
        </span>
      ),
    },
    { id: 'used', header: 'Last used', width: 110, cell: (row) => <RelativeTime at={row.lastUsedAt} empty="Never" /> },
    { id: 'created', header: 'Created', width: 110, cell: (row) => <RelativeTime at={row.createdAt} /> },
    {
      id: 'calls',
      header: 'Calls',
      width: 100,
      cell: ({ name }, isActive) => (
        <Link to={paths.toolCalls(env, name)} tabIndex={isActive ? 0 : -1}>
          Open in logs
        </Link>
      ),
    },
    {
      id: 'revoke',
      header: '',
      isAtEnd: true,
      width: 80,
      align: 'right',
      cell: (row, isActive) => row.isAgent && <Revoke client={row} isActive={isActive} />,
    },
  ];
}

function useRevoke(client: McpClientRow) {
  const revoke = useChange('DELETE /api/v1/mcp/clients/:clientId', { ownError: true });
  const { ask, dialog } = useConfirm();
  return {
    dialog,
    ask: () =>
      ask({
        title: `Revoke the key of ${client.name}?`,
        text: 'The client can no longer call, and the decisions about it are removed.',
        action: 'Revoke key',
        run: () => revoke.mutateAsync({ params: { clientId: client.id } }),
      }),
  };
}

function Revoke({ client, isActive }: { client: McpClientRow; isActive: boolean }) {
  const { ask, dialog } = useRevoke(client);
  return (
    <>
      <Button size="xs" variant="subtle" data-tone="bad" tabIndex={isActive ? 0 : -1} onClick={ask}>
        Revoke
      </Button>
      {dialog}
    </>
  );
}

/** What the row offers, at the pointer. */
function ClientActions({ client, children }: { client: McpClientRow; children: ReactNode }) {
  const env = useEnv();
  const { ask, dialog } = useRevoke(client);
  return (
    <>
      <Menu.Dropdown>
        <Menu.Item component={Link} to={paths.toolCalls(env, client.name)}>
          Show calls in the logs
        </Menu.Item>
        {client.isAgent && (
          <Menu.Item data-tone="bad" onClick={ask}>
            Revoke key
          </Menu.Item>
        )}
        <Menu.Divider />
        {children}
      </Menu.Dropdown>
      {dialog}
    </>
  );
}
