import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'react-router';
import type { McpDecisionRow } from '../../api/contract.ts';
import { IntegrationName } from '../../api/integrations/IntegrationName.tsx';
import { mcpDecisionsQueryOptions } from '../../api/mcp/mcp-queries.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { type Column, wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { POLICY_WORDS } from '../../lib/mcp-policy.ts';
import { paths } from '../../lib/paths.ts';
import { PolicyItems, PolicySelect } from './PolicySelect.tsx';

/** What a person decided about clients with a key, programs and sessions. */
export function McpDecisions() {
  const env = useEnv();
  const columns = useMemo(() => decisionColumns(env), [env]);
  return (
    <DataTable
      label="Decisions"
      columns={columns}
      source={wholeRows(useQuery(mcpDecisionsQueryOptions(env)))}
      rowKey={(row) =>
        JSON.stringify([row.clientId, row.program, row.sessionId, row.integrationKey, row.connectionId, row.tool])
      }
      rowMenu={(row, items) => (
        <Menu.Dropdown>
          <DecisionItems row={row} />
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

/** What a key may do is chosen here; an answer about a program or a session is only taken back. */
function aboutKey({ clientId, connectionId, integrationKey, tool }: McpDecisionRow) {
  return clientId === null ? undefined : { clientId, connectionId, integrationKey, tool };
}

function useTakeBack({ connectionId, integrationKey, program, sessionId, tool }: McpDecisionRow) {
  const change = useChange('DELETE /api/v1/mcp/decisions');
  const body = { program, sessionId, integrationKey, connectionId, tool };
  return { takeBack: () => change.mutate({ body }), isPending: change.isPending };
}

function DecisionItems({ row }: { row: McpDecisionRow }) {
  const { takeBack } = useTakeBack(row);
  const about = aboutKey(row);
  if (about) return <PolicyItems about={about} choice={row.policy} />;
  return <Menu.Item onClick={takeBack}>Take back</Menu.Item>;
}

function Decision({ row, isActive }: { row: McpDecisionRow; isActive: boolean }) {
  const about = aboutKey(row);
  if (about) return <PolicySelect about={about} choice={row.policy} isActive={isActive} />;
  return <span className="cut">{POLICY_WORDS[row.policy]}</span>;
}

function TakeBack({ row, isActive }: { row: McpDecisionRow; isActive: boolean }) {
  const { isPending, takeBack } = useTakeBack(row);
  return (
    <Button size="xs" variant="subtle" loading={isPending} tabIndex={isActive ? 0 : -1} onClick={takeBack}>
      Take back
    </Button>
  );
}

function decisionColumns(env: string): Column<McpDecisionRow>[] {
  return [
    {
      id: 'client',
      header: 'Client',
      width: 150,
      cell: ({ clientName, program, sessionId }) => (
        <span className="stack">
          <span className="name cut">{clientName}</span>
          {program !== null && <span className="soft cut">Program, all sessions</span>}
          {sessionId !== null && <span className="soft cut">This session only</span>}
        </span>
      ),
    },
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
      cell: (row, isActive) => <Decision row={row} isActive={isActive} />,
    },
    {
      id: 'decided',
      header: 'Decided',
      width: 96,
      align: 'right',
      cell: (row) => <RelativeTime at={row.decidedAt} />,
    },
    {
      id: 'take-back',
      header: '',
      isAtEnd: true,
      width: 100,
      align: 'right',
      cell: (row, isActive) => row.clientId === null && <TakeBack row={row} isActive={isActive} />,
    },
  ];
}
