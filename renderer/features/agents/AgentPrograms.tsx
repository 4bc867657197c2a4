import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { agentProgramsQueryOptions, useRemoveProgram } from '../../api/agents/agents-queries.ts';
import type { AgentProgramRow } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { copyText } from '../../components/copy-text.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { type Column, wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import type { StatusLook } from '../../lib/status.ts';
import { SetUpProgram } from './SetUpProgram.tsx';

const HOW = {
  'sign-in': 'Signs in with your browser',
  session: 'Has the token of one session',
  command: 'Starts the command line of Homeport',
};

/** Agent programs of this computer: one click writes the entry into their own configuration. */
export function AgentPrograms() {
  const env = useEnv();
  const [chosen, setChosen] = useState<AgentProgramRow>();
  const columns = useMemo(() => programColumns(setChosen), []);
  return (
    <>
      <DataTable
        label="Programs"
        columns={columns}
        source={wholeRows(useQuery(agentProgramsQueryOptions(env)))}
        rowKey={({ id }) => id}
        rowHeight={48}
        rowMenu={(row, items) => (
          <Menu.Dropdown>
            <Menu.Item onClick={() => setChosen(row)}>{row.isSetUp ? 'Set up again' : 'Set up'}</Menu.Item>
            {row.snippet !== '' && (
              <Menu.Item onClick={() => void copyText(row.snippet, 'Entry copied')}>Copy entry</Menu.Item>
            )}
            <Menu.Divider />
            {items}
          </Menu.Dropdown>
        )}
        empty={null}
      />
      <SetUpProgram program={chosen} onClose={() => setChosen(undefined)} />
    </>
  );
}

function lookOf({ access, isSetUp, problem }: AgentProgramRow): StatusLook {
  if (problem !== null) return { label: 'File cannot be read', tone: 'bad', icon: 'alert' };
  if (!isSetUp) return { label: 'Not set up', tone: 'mute', icon: 'waiting' };
  return { label: access === null ? 'Set up by hand' : 'Set up', tone: 'ok', icon: 'check' };
}

function programColumns(onSetUp: (row: AgentProgramRow) => void): Column<AgentProgramRow>[] {
  return [
    {
      id: 'name',
      header: 'Program',
      width: 220,
      grow: true,
      cell: ({ access, name, problem }) => (
        <span className="stack">
          <span className="name cut">{name}</span>
          <span className="soft cut">{problem ?? (access && HOW[access])}</span>
        </span>
      ),
    },
    { id: 'state', header: 'State', width: 130, cell: (row) => <StatusBadge look={lookOf(row)} /> },
    { id: 'used', header: 'Last used', width: 110, cell: (row) => <RelativeTime at={row.lastUsedAt} empty="Never" /> },
    { id: 'file', header: 'File', width: 260, cell: ({ file }) => <code className="cut">{file}</code> },
    {
      id: 'acts',
      header: '',
      isAtEnd: true,
      width: 90,
      align: 'right',
      cell: (row, isActive) => <Acts program={row} isActive={isActive} onSetUp={() => onSetUp(row)} />,
    },
  ];
}

interface ActsProps {
  program: AgentProgramRow;
  isActive: boolean;
  onSetUp: () => void;
}

function Acts({ program, isActive, onSetUp }: ActsProps) {
  const { id, isSetUp, name, problem } = program;
  const remove = useRemoveProgram();
  const { ask, dialog } = useConfirm();
  const tabIndex = isActive ? 0 : -1;
  if (problem !== null) return null;
  if (isSetUp)
    return (
      <>
        <Button
          size="xs"
          variant="subtle"
          tabIndex={tabIndex}
          onClick={() =>
            ask({
              title: `Remove Homeport from ${name}?`,
              text: `The entry is removed from ${program.file}; a copy of the file stays beside it.`,
              action: 'Remove',
              run: () => remove.mutateAsync(id),
            })
          }
        >
          Remove
        </Button>
        {dialog}
      </>
    );
  return (
    <Button size="xs" variant="default" tabIndex={tabIndex} onClick={onSetUp}>
      Set up
    </Button>
  );
}
