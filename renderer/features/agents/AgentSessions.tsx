import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { agentSessionsQueryOptions, useEndSession } from '../../api/agents/agents-queries.ts';
import type { AgentSessionListRow } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { type Column, wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatNumber } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import type { StatusLook } from '../../lib/status.ts';
import { SessionDetails } from './SessionDetails.tsx';

const LOOKS: Record<AgentSessionListRow['state'], StatusLook> = {
  active: { label: 'Active', tone: 'ok', icon: 'check' },
  paused: { label: 'Paused', tone: 'mute', icon: 'pause' },
  terminated: { label: 'Ended', tone: 'mute', icon: 'ban' },
  expired: { label: 'Expired', tone: 'mute', icon: 'timeout' },
};

const MAKERS = { key: 'An app with a key', person: 'Made by hand', program: 'A program' };

/** What agents hold now: for whom they act, until when, and what they did. */
export function AgentSessions() {
  const env = useEnv();
  return (
    <DataTable
      label="Sessions"
      columns={COLUMNS}
      source={wholeRows(useQuery(agentSessionsQueryOptions(env)))}
      rowKey={({ id }) => id}
      rowHeight={48}
      rowMenu={(row, items) => <SessionActs session={row}>{items}</SessionActs>}
      empty={
        <EmptyState
          title="No sessions yet"
          text="Set up a program, or make a session by hand. Here you see what it did, and end it."
        />
      }
    />
  );
}

const isRunning = ({ state }: AgentSessionListRow): boolean => state === 'active' || state === 'paused';

const COLUMNS: Column<AgentSessionListRow>[] = [
  {
    id: 'name',
    header: 'Agent',
    width: 150,
    grow: true,
    cell: ({ client, madeBy, name, untrustedReads }) => (
      <span className="stack">
        <span className="name cut">{client ?? name ?? MAKERS[madeBy]}</span>
        {client !== null && name !== null && name !== client && <span className="soft cut">{name}</span>}
        {untrustedReads.length > 0 && <span className="soft cut">Read text by strangers</span>}
      </span>
    ),
  },
  { id: 'state', header: 'State', width: 110, cell: ({ state }) => <StatusBadge look={LOOKS[state]} /> },
  {
    id: 'accounts',
    header: 'Accounts',
    width: 170,
    cell: ({ connections }) => (
      <span className="cut">
        {connections.map((one) => `${one.integrationKey}: ${one.connectionId ?? 'not connected'}`).join(', ')}
      </span>
    ),
  },
  { id: 'calls', header: 'Calls', width: 70, align: 'right', cell: ({ calls }) => formatNumber(calls) },
  { id: 'used', header: 'Last used', width: 110, cell: (row) => <RelativeTime at={row.lastUsedAt} empty="Never" /> },
  { id: 'ends', header: 'Ends', width: 110, cell: (row) => <RelativeTime at={row.endedAt ?? row.expiresAt} /> },
  {
    id: 'details',
    header: 'What it did',
    width: 130,
    cell: (row, isActive) => <Details session={row} isActive={isActive} />,
  },
  {
    id: 'end',
    header: '',
    isAtEnd: true,
    width: 80,
    align: 'right',
    cell: (row, isActive) => isRunning(row) && <End session={row} isActive={isActive} />,
  },
];

function Details({ session, isActive }: { session: AgentSessionListRow; isActive: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const { client, madeBy, name } = session;
  return (
    <>
      <Button size="xs" variant="subtle" tabIndex={isActive ? 0 : -1} onClick={() => setOpen(true)}>
        Details
      </Button>
      {isOpen && (
        <SessionDetails session={session} title={client ?? name ?? MAKERS[madeBy]} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

function useEnd(session: AgentSessionListRow) {
  const end = useEndSession();
  const { ask, dialog } = useConfirm();
  return {
    dialog,
    ask: () =>
      ask({
        title: `End the session of ${session.client ?? session.name ?? 'this agent'}?`,
        text: 'The agent can call nothing any more. A program that is set up asks you for access again.',
        action: 'End session',
        run: () => end.mutateAsync(session.id),
      }),
  };
}

function End({ session, isActive }: { session: AgentSessionListRow; isActive: boolean }) {
  const { ask, dialog } = useEnd(session);
  return (
    <>
      <Button size="xs" variant="subtle" data-tone="bad" tabIndex={isActive ? 0 : -1} onClick={ask}>
        End
      </Button>
      {dialog}
    </>
  );
}

/** What the row offers, at the pointer. */
function SessionActs({ session, children }: { session: AgentSessionListRow; children: ReactNode }) {
  const env = useEnv();
  const { ask, dialog } = useEnd(session);
  return (
    <>
      <Menu.Dropdown>
        <Menu.Item component={Link} to={paths.sessionLog(env, session.id)}>
          Show it in the log
        </Menu.Item>
        {isRunning(session) && (
          <Menu.Item data-tone="bad" onClick={ask}>
            End session
          </Menu.Item>
        )}
        <Menu.Divider />
        {children}
      </Menu.Dropdown>
      {dialog}
    </>
  );
}
