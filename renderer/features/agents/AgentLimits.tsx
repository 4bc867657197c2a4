import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { agentSessionsQueryOptions } from '../../api/agents/agents-queries.ts';
import { limitsQueryOptions, useLimitsOf } from '../../api/agents/limits.ts';
import type { LimitedRow, LimitsForm } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { type Column, wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { formatNumber } from '../../lib/format-number.ts';

/** Opened now and then; its fields are large. */
const LimitsDialog = lazy(async () => ({
  default: (await import('../../components/form/LimitsDialog.tsx')).LimitsDialog,
}));

/** What agents may do: the defaults of sessions, and each that has limits of its own or was counted. */
export function AgentLimits() {
  const env = useEnv();
  const sessions = useQuery(agentSessionsQueryOptions(env)).data ?? [];
  const names = new Map(sessions.map(({ client, id, name }) => [id, client ?? name]));
  const [chosen, setChosen] = useState<LimitedRow>();
  const columns = useMemo(() => limitColumns(setChosen), []);
  const limits = useQuery(limitsQueryOptions(env));
  const data = limits.data?.map((row) => ({ ...row, name: row.name ?? names.get(row.id) ?? null }));
  return (
    <>
      <DataTable
        label="Limits"
        columns={columns}
        source={wholeRows({ data, error: limits.error, refetch: limits.refetch })}
        rowKey={({ id, kind }) => `${kind} ${id}`}
        rowHeight={48}
        rowMenu={(row, items) => (
          <Menu.Dropdown>
            {isChangeable(row) && <Menu.Item onClick={() => setChosen(row)}>Change limits</Menu.Item>}
            {items}
          </Menu.Dropdown>
        )}
        empty={null}
      />
      {chosen && isChangeable(chosen) && (
        <ChangeLimits of={chosen} title={`Limits of ${nameOf(chosen)}`} onClose={() => setChosen(undefined)} />
      )}
    </>
  );
}

type Changeable = Pick<LimitedRow, 'id'> & Pick<LimitsForm, 'kind'>;

/** A run of a command keeps the limits that it was started with. */
const isChangeable = (row: LimitedRow): row is LimitedRow & Changeable => row.kind !== 'run';

/** The dialog with the limits of one. */
export function ChangeLimits({ of, title, onClose }: { of: Changeable; title: string; onClose: () => void }) {
  const limits = useLimitsOf(of);
  if (!limits) return null;
  const { change, row } = limits;
  return (
    <Suspense fallback={null}>
      <LimitsDialog
        title={title}
        row={row}
        isPending={change.isPending}
        error={change.error}
        onClose={onClose}
        onSave={(next) => change.mutate(next, { onSuccess: onClose })}
      />
    </Suspense>
  );
}

const KINDS: Record<LimitedRow['kind'], string> = {
  sessions: 'The defaults of all sessions',
  key: 'Key',
  program: 'Program',
  session: 'Session',
  run: 'Command',
};

const nameOf = ({ id, kind, name }: LimitedRow): string => (kind === 'sessions' ? 'each session' : (name ?? id));

const limitOf = (limit: number | null): string => (limit === null ? 'No limit' : formatNumber(limit));

/** What is used of a limit. The defaults of sessions are used by nobody. */
const usedOf = ({ kind, limits, used }: LimitedRow, name: 'calls' | 'writes' | 'cost'): string => {
  if (kind === 'sessions') return limitOf(limits[name]);
  return limits[name] === null ? formatNumber(used[name]) : `${formatNumber(used[name])} of ${limitOf(limits[name])}`;
};

function limitColumns(onChange: (row: LimitedRow) => void): Column<LimitedRow>[] {
  return [
    {
      id: 'whose',
      header: 'Whose',
      width: 200,
      grow: true,
      cell: (row) => (
        <span className="stack">
          <span className="name cut">{row.kind === 'sessions' ? 'Each session' : nameOf(row)}</span>
          <span className="soft cut">{KINDS[row.kind]}</span>
        </span>
      ),
    },
    {
      id: 'minute',
      header: 'Calls a minute',
      width: 110,
      align: 'right',
      cell: ({ limits }) => limitOf(limits.callsPerMinute),
    },
    { id: 'calls', header: 'Calls', width: 110, align: 'right', cell: (row) => usedOf(row, 'calls') },
    { id: 'writes', header: 'Writes', width: 110, align: 'right', cell: (row) => usedOf(row, 'writes') },
    { id: 'cost', header: 'Cost', width: 100, align: 'right', cell: (row) => usedOf(row, 'cost') },
    { id: 'repeats', header: 'In a row', width: 80, align: 'right', cell: ({ limits }) => limitOf(limits.repeats) },
    {
      id: 'only',
      header: 'Only',
      width: 120,
      cell: ({ limits }) => (
        <span className="cut">{[...(limits.hosts ?? []), ...(limits.methods ?? [])].join(', ')}</span>
      ),
    },
    {
      id: 'change',
      header: '',
      isAtEnd: true,
      width: 90,
      align: 'right',
      cell: (row, isActive) =>
        isChangeable(row) && (
          <Button size="xs" variant="subtle" tabIndex={isActive ? 0 : -1} onClick={() => onChange(row)}>
            Change
          </Button>
        ),
    },
  ];
}
