import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconArrowLeft, IconDots } from '@tabler/icons-react';
import { type ReactNode, useMemo, useRef } from 'react';
import { Link, useNavigate } from 'react-router';
import { useAudit } from '../../api/apps/apps-queries.ts';
import type { AuditRow } from '../../api/contract.ts';
import { IntegrationName } from '../../api/integrations/IntegrationName.tsx';
import { exportList } from '../../api/lists/export-list.ts';
import { useFilterValues } from '../../api/lists/use-filter-values.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { ExportMenu } from '../../components/list/ExportMenu.tsx';
import { ListFilter, ListFilters, ServedFilter } from '../../components/list/ListFilters.tsx';
import { ListTable } from '../../components/list/ListTable.tsx';
import { useList } from '../../components/list/use-list.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import type { Column } from '../../components/table/columns.ts';
import { useColumnLayout } from '../../components/table/use-column-layout.ts';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { clockWidth, formatClock } from '../../lib/format-time.ts';
import { AUDIT_ACTION_OPTIONS, AUDIT_ACTIONS, AUDIT_RESULT_OPTIONS } from './audit-texts.ts';

const FILTERS = ['search', 'actions', 'apps', 'results', 'integrations', 'during'] as const;
const ONE_ROW = 'one row of the list';
const DESCRIBED = {
  actions: (value: string): string => labelOf(AUDIT_ACTION_OPTIONS, value),
  results: (value: string): string => labelOf(AUDIT_RESULT_OPTIONS, value),
  during: (): string => ONE_ROW,
};

/** An address may hold any value. */
const labelOf = (options: typeof AUDIT_ACTION_OPTIONS, value: string): string =>
  options.find((option) => option.value === value)?.label ?? value;

const rowKey = (row: AuditRow): string => row.id;

/** Reads of credentials, refused calls and changes of the last 90 days. */
export function AuditList({ tabs }: { tabs: ReactNode }) {
  const env = useEnv();
  const navigate = useNavigate();
  const list = useList({ filters: FILTERS, sort: '-time' });
  const { url } = list;
  const { during } = list.filters;
  const rows = useAudit({
    ...list.filters,
    ...(during === undefined && { grouped: 'true' as const }),
    sort: list.sort,
  });
  const groupPath = (row: AuditRow): string =>
    url.search({ actions: row.action, results: row.result, apps: row.app ?? undefined, during: duringOf(row) });
  const path = useRef(groupPath);
  path.current = groupPath;
  const all = useMemo(() => auditColumns((row) => path.current(row)), []);
  const columns = useColumnLayout('audit', all);
  const apps = useFilterValues('audit.apps', Boolean(list.filters.apps));
  const integrations = useFilterValues('audit.integrations', Boolean(list.filters.integrations));
  return (
    <>
      <PageHeader
        title="Apps & keys"
        aside={
          <span className="soft">{rows.total === undefined ? '' : formatCount(rows.total, 'entry', 'entries')}</span>
        }
      />
      {tabs}
      <ListFilters
        list={list}
        search="App, subject or connection"
        columns={columns}
        views="audit"
        isBelowTabs
        end={
          <ExportMenu
            fileName="audit"
            read={(options) =>
              exportList({
                list: 'GET /api/v1/audit',
                query: { env, ...list.filters, sort: list.sort },
                ...options,
              })
            }
          />
        }
      >
        <ListFilter list={list} name="actions" label="Action" options={AUDIT_ACTION_OPTIONS} />
        <ServedFilter list={list} name="apps" label="App" values={apps} />
        <ListFilter list={list} name="results" label="Result" options={AUDIT_RESULT_OPTIONS} />
        <ServedFilter list={list} name="integrations" label="Integration" values={integrations} />
        {during !== undefined && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconArrowLeft size={14} stroke={1.6} aria-hidden />}
            onClick={() => list.clearFilters()}
          >
            All entries
          </Button>
        )}
      </ListFilters>
      <ListTable
        list={list}
        label="Access audit"
        columns={columns}
        rows={rows}
        rowKey={rowKey}
        rowId={rowKey}
        onOpen={(row) => {
          if (row.entries > 1) void navigate({ search: groupPath(row) });
        }}
        rowMenu={(row, items) =>
          row.hasKey && row.app !== null ? (
            <Revoke row={row} app={row.app}>
              {items}
            </Revoke>
          ) : (
            <Menu.Dropdown>{items}</Menu.Dropdown>
          )
        }
        describeFilter={DESCRIBED}
        nothingFits="No entry matches the search and filters."
        nothing={
          <EmptyState
            title="Nothing yet"
            text="Calls of apps, revealed secrets and changes are listed here for 90 days."
          />
        }
      />
    </>
  );
}

const Faint = () => <span className="faint">–</span>;

const DONE = { label: 'Done', tone: 'ok', icon: 'check' } as const;
const REFUSED = { label: 'Refused', tone: 'bad', icon: 'ban' } as const;

/** The time of all entries of a row, as the address has it. */
const duringOf = ({ at, firstAt }: AuditRow): string => `${Date.parse(firstAt)},${Date.parse(at)}`;

/** How often it happened; entries that follow each other open one by one. */
function Times({ row: { count, entries }, to, isActive }: { row: AuditRow; to: string; isActive: boolean }) {
  if (entries > 1)
    return (
      <Link to={to} tabIndex={isActive ? 0 : -1} aria-label={`Show the ${formatCount(entries, 'entry', 'entries')}`}>
        {formatNumber(count)}
      </Link>
    );
  return count === 1 ? null : formatNumber(count);
}

function auditColumns(groupPath: (row: AuditRow) => string): Column<AuditRow>[] {
  return [
    {
      id: 'time',
      header: 'Time',
      width: clockWidth(124),
      sort: 'time',
      text: (row) => row.at,
      cell: (row) => (
        <time dateTime={row.at} className="mono soft">
          {formatClock(row.at, Date.now())}
        </time>
      ),
    },
    {
      id: 'app',
      header: 'App',
      width: 110,
      grow: true,
      text: (row) => row.app,
      filter: ({ app }) => (app === null ? undefined : ['apps', app]),
      cell: ({ app, keyId }) => <span className="name cut">{app ?? (keyId === null ? 'You' : 'A key')}</span>,
    },
    {
      id: 'action',
      header: 'Action',
      width: 132,
      isEarly: true,
      text: (row) => row.action,
      filter: (row) => ['actions', row.action],
      cell: ({ action }) => <span className="cut">{AUDIT_ACTIONS[action]}</span>,
    },
    {
      id: 'count',
      header: 'Times',
      width: 52,
      align: 'right',
      text: (row) => row.count,
      cell: (row, isActive) => <Times row={row} to={groupPath(row)} isActive={isActive} />,
    },
    {
      id: 'integration',
      header: 'Integration',
      width: 92,
      text: (row) => row.integrationKey,
      filter: ({ integrationKey }) => (integrationKey === null ? undefined : ['integrations', integrationKey]),
      cell: ({ integrationKey }) => (
        <span className="cut">
          {integrationKey === null ? <Faint /> : <IntegrationName integrationKey={integrationKey} />}
        </span>
      ),
    },
    {
      id: 'connection',
      header: 'Connection',
      width: 92,
      text: (row) => row.connectionId,
      cell: (row) => (row.connectionId === null ? <Faint /> : <code className="cut">{row.connectionId}</code>),
    },
    {
      id: 'subject',
      header: 'Subject',
      width: 130,
      grow: true,
      text: (row) => row.subject,
      cell: (row) =>
        row.subject === null ? (
          <Faint />
        ) : (
          <span className="soft cut" title={row.subject}>
            {row.subject}
          </span>
        ),
    },
    {
      id: 'result',
      header: 'Result',
      width: 84,
      text: (row) => row.result,
      filter: (row) => ['results', row.result],
      cell: ({ result }) => <StatusBadge look={result === 'done' ? DONE : REFUSED} />,
    },
    {
      id: 'revoke',
      header: '',
      isAtEnd: true,
      width: 28,
      align: 'right',
      cell: (row, isActive) =>
        row.hasKey && row.app !== null && <RevokeMenu row={row} app={row.app} isActive={isActive} />,
    },
  ];
}

function RevokeMenu({ row, app, isActive }: { row: AuditRow; app: string; isActive: boolean }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size={24} aria-label={`Actions for the key of ${app}`} tabIndex={isActive ? 0 : -1}>
          <IconDots size={16} stroke={1.6} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Revoke row={row} app={app} />
    </Menu>
  );
}

/** The content of the menu, and the question. */
function Revoke({ row, app, children }: { row: AuditRow; app: string; children?: ReactNode }) {
  const revoke = useChange('DELETE /api/v1/keys/:keyId', { ownError: true });
  const confirm = useConfirm();
  const ask = (): void =>
    confirm.ask({
      title: `Revoke the key of ${app}?`,
      text: 'Calls with it are refused at once. This cannot be undone.',
      action: 'Revoke key',
      typed: app,
      run: async () => row.keyId !== null && revoke.mutateAsync({ params: { keyId: row.keyId } }),
    });
  return (
    <>
      <Menu.Dropdown>
        <Menu.Item data-tone="bad" onClick={ask}>
          Revoke key of {app}
        </Menu.Item>
        {children && <Menu.Divider />}
        {children}
      </Menu.Dropdown>
      {confirm.dialog}
    </>
  );
}
