import { Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'react-router';
import type { McpDecisionRow } from '../../api/contract.ts';
import { IntegrationName } from '../../api/integrations/IntegrationName.tsx';
import { mcpDecisionsQueryOptions } from '../../api/mcp/mcp-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { type Column, wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { paths } from '../../lib/paths.ts';
import { PolicyItems, PolicySelect } from './PolicySelect.tsx';

/** The permanent decisions for all clients and connections. */
export function McpDecisions() {
  const env = useEnv();
  const columns = useMemo(() => decisionColumns(env), [env]);
  return (
    <DataTable
      label="Decisions"
      columns={columns}
      source={wholeRows(useQuery(mcpDecisionsQueryOptions(env)))}
      rowKey={(row) => JSON.stringify([row.clientId, row.integrationKey, row.connectionId, row.tool])}
      rowMenu={(row, items) => (
        <Menu.Dropdown>
          <PolicyItems about={aboutOf(row)} choice={row.policy} />
          <Menu.Divider />
          <Menu.Item component={Link} to={paths.connection(env, row)}>
            Open connection
          </Menu.Item>
          <Menu.Divider />
          {items}
        </Menu.Dropdown>
      )}
      rowHeight={48}
      empty={
        <EmptyState
          title="Nothing decided yet"
          text="Answer a call with Always allow or Always deny, or choose under Tools. Until then reading is allowed and everything else asks."
        />
      }
    />
  );
}

const aboutOf = ({ clientId, integrationKey, connectionId, tool }: McpDecisionRow) => ({
  clientId,
  integrationKey,
  connectionId,
  tool,
});

function decisionColumns(env: string): Column<McpDecisionRow>[] {
  return [
    { id: 'client', header: 'Client', width: 140, cell: (row) => <span className="name cut">{row.clientName}</span> },
    { id: 'tool', header: 'Tool', width: 150, cell: (row) => <code className="cut">{row.tool}</code> },
    {
      id: 'integration',
      header: 'Integration',
      width: 110,
      cell: (row) => (
        <span className="soft cut">
          <IntegrationName integrationKey={row.integrationKey} />
        </span>
      ),
    },
    {
      id: 'connection',
      header: 'Connection',
      width: 150,
      grow: true,
      cell: (row) => (
        <Link to={paths.connection(env, row)} className="cut" tabIndex={-1}>
          {row.connectionId}
        </Link>
      ),
    },
    {
      id: 'policy',
      header: 'Policy',
      width: 120,
      cell: (row, isActive) => <PolicySelect about={aboutOf(row)} choice={row.policy} isActive={isActive} />,
    },
    {
      id: 'decided',
      header: 'Decided',
      width: 96,
      align: 'right',
      cell: (row) => <RelativeTime at={row.decidedAt} />,
    },
  ];
}
