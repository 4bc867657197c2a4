import { Button } from '@mantine/core';
import { IconBroadcast, IconPlayerPause } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { excludeFromQuery, type LogField, type OperationListItem } from '../../api/contract.ts';
import { useStreamState } from '../../api/events/EventsProvider.tsx';
import { exportList } from '../../api/lists/export-list.ts';
import { useFilterValues } from '../../api/lists/use-filter-values.ts';
import { readHar } from '../../api/logs/read-har.ts';
import { useLiveOperations } from '../../api/logs/use-live-operations.ts';
import { useEnv } from '../../api/use-env.ts';
import { ExportMenu } from '../../components/list/ExportMenu.tsx';
import { ListFilter, ListFilters, ServedFilter } from '../../components/list/ListFilters.tsx';
import { ListSelection } from '../../components/list/ListSelection.tsx';
import { ListTable } from '../../components/list/ListTable.tsx';
import { TabListHead } from '../../components/list/Toolbar.tsx';
import { useGrouping } from '../../components/list/use-grouping.ts';
import { useList, useSelection } from '../../components/list/use-list.ts';
import { useOpenRow } from '../../components/list/use-open-row.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { CLOSED_PAGE } from '../../components/page/panel-page.ts';
import { PANELS } from '../../components/page/panel-width.ts';
import { SplitView } from '../../components/page/SplitView.tsx';
import { useColumnLayout } from '../../components/table/use-column-layout.ts';
import { PeriodPicker } from '../../components/time/PeriodPicker.tsx';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { describePeriod } from '../../lib/period.ts';
import { lookOf, OPERATION_LOOK } from '../../lib/status.ts';
import classes from './LogExplorer.module.css';
import histogram from './LogHistogram.module.css';
import { logColumns } from './log-columns.tsx';
import { QueryBox } from './QueryBox.tsx';
import { useLogPeriod } from './use-log-period.ts';
import { useViewNotices } from './use-view-notices.ts';

const OperationPanel = lazy(async () => ({ default: (await import('./OperationPanel.tsx')).OperationPanel }));

/** The bars are loaded after the rows. */
const LogHistogram = lazy(async () => ({ default: (await import('./LogHistogram.tsx')).LogHistogram }));

const FILTERS = ['search', 'states', 'types', 'integrations', 'connections', 'syncs'] as const;
const TAB_FILTERS = FILTERS.filter((name) => name !== 'integrations');

const STATE_OPTIONS = Object.entries(OPERATION_LOOK).map(([value, look]) => ({ value, label: look.label }));

const TYPES: [value: string, label: string][] = [
  ['sync', 'Syncs'],
  ['action', 'Actions'],
  ['proxy', 'Proxy calls'],
  ['auth', 'Sign-ins and refreshes'],
  ['webhook', 'Webhooks'],
  ['events', 'Event handlers'],
  ['deploy', 'Deploys'],
  ['function', 'Invocations'],
];

/** Groups of types; the address may also hold a single `group:action`. */
const TYPE_OPTIONS = TYPES.map(([value, label]) => ({ value, label }));

/** Query fields by the address parameter that filters by the same. */
const QUERY_FIELDS: Readonly<Record<string, LogField>> = {
  states: 'state',
  types: 'type',
  integrations: 'integration',
  connections: 'connection',
  syncs: 'function',
};

/** A state; a deleted integration has its key. */
const groupName = (value: string): string => OPERATION_LOOK[value]?.label ?? value;

const DESCRIBED = { states: (value: string): string => lookOf(OPERATION_LOOK, value).label };

/** Rates below this are seen from the rows themselves. */
const SHOWN_RATE = 5;

const rowKey = (row: { id: string }): string => row.id;

/** The log of the environment. */
export function LogPage() {
  usePage([{ label: 'Logs' }]);
  return <LogExplorer />;
}

/** The log of the environment, or of one integration as one of its tabs. */
export function LogExplorer({ integrationKey }: { integrationKey?: string }) {
  const env = useEnv();
  const isTab = integrationKey !== undefined;
  const list = useList({ filters: isTab ? TAB_FILTERS : FILTERS, sort: '-time' });
  const { url } = list;
  const view = useLogPeriod(url);
  const { isLive, isUtc } = view;
  const isAway = useStreamState() === 'reconnecting';
  const filter = {
    ...list.filters,
    ...(isTab && { integrations: integrationKey }),
    period: view.listPeriod,
    sort: list.sort,
  };
  const grouping = useGrouping('logs', !isTab);
  const rows = useLiveOperations({ ...filter, groupBy: grouping.by }, isLive);
  const notices = useViewNotices(env);
  const all = useMemo(
    () => logColumns(isUtc).filter((column) => !isTab || column.id !== 'integration'),
    [isUtc, isTab],
  );
  const columns = useColumnLayout(isTab ? 'integration-logs' : 'logs', all);
  const opened = useOpenRow(url, 'operationId', rows);
  const { open, show, step } = opened;
  const selection = useSelection<OperationListItem>(list);
  const { integrations: among, connections, syncs } = list.filters;
  const integrationValues = useFilterValues('operations.integrations', Boolean(among));
  const connectionValues = useFilterValues('operations.connections', Boolean(connections), integrationKey);
  const functionValues = useFilterValues('operations.functions', Boolean(syncs), integrationKey);
  const count = rows.total === undefined ? '' : formatCount(rows.total, 'operation');
  const timeControls = (
    <>
      <PeriodPicker period={view.period} onChange={view.set} isUtc={isUtc} onUtc={view.setUtc} />
      <Button
        variant="default"
        className={classes['live'] ?? ''}
        aria-pressed={isLive}
        // The hub does not answer: nothing is live now.
        data-tone={isLive ? (isAway ? 'warn' : 'ok') : undefined}
        leftSection={isLive ? <IconBroadcast size={16} stroke={1.6} /> : <IconPlayerPause size={16} stroke={1.6} />}
        onClick={view.toggleLive}
      >
        {isLive ? (isAway ? 'Live when back' : 'Live') : 'Paused'}
        {isLive && rows.rate >= SHOWN_RATE && (
          <span className="numbers" style={{ marginLeft: 6 }}>
            +{formatNumber(rows.rate)}/s
          </span>
        )}
      </Button>
    </>
  );
  return (
    <SplitView
      panelWidth={PANELS.operation}
      panel={open && <OperationPanel operationId={open} isUtc={isUtc} onClose={() => show(undefined)} onStep={step} />}
    >
      {isTab ? (
        <TabListHead
          count={count}
          link={{
            to: `/${env}/logs${url.search({ integrations: integrationKey, operationId: undefined, ...CLOSED_PAGE })}`,
            label: 'Open in Logs',
          }}
        >
          {timeControls}
        </TabListHead>
      ) : (
        <PageHeader title="Logs" aside={<span className="soft">{count}</span>}>
          {timeControls}
        </PageHeader>
      )}
      <Suspense fallback={<div className={`row at-top rigid gutter ${histogram['box']}`} />}>
        <LogHistogram filter={filter} view={view} />
      </Suspense>
      <QueryBox
        integrationKey={integrationKey}
        value={list.filters.search ?? ''}
        onChange={(search) => url.set({ search }, { replace: true })}
      />
      <ListFilters
        list={list}
        columns={columns}
        rowHeight={28}
        {...(!isTab && { views: 'logs', notices, grouping })}
        end={
          <ExportMenu
            fileName="operations"
            other={{
              label: 'Requests to providers as HAR',
              fileName: 'requests.har',
              read: () => readHar(env, filter),
            }}
            read={(options) =>
              exportList({ list: 'GET /api/v1/logs/operations', query: { env, ...filter }, ...options })
            }
          />
        }
      >
        <ListFilter list={list} name="states" label="State" options={STATE_OPTIONS} />
        <ListFilter list={list} name="types" label="Type" options={TYPE_OPTIONS} />
        {!isTab && <ServedFilter list={list} name="integrations" label="Integration" values={integrationValues} />}
        <ServedFilter list={list} name="connections" label="Connection" values={connectionValues} />
        <ServedFilter list={list} name="syncs" label="Function" values={functionValues} />
      </ListFilters>
      <LiveAnnouncer total={rows.total} isLive={isLive} />
      <ListTable
        list={list}
        label="Operations"
        columns={columns}
        rows={rows}
        rowKey={rowKey}
        rowId={rowKey}
        rowHeight={28}
        opened={opened}
        selection={selection}
        onExclude={(name, value) => {
          const field = QUERY_FIELDS[name];
          if (field) url.set({ search: excludeFromQuery(list.filters.search ?? '', field, value) });
        }}
        grouping={grouping}
        describeGroup={groupName}
        describeFilter={DESCRIBED}
        nothingFits={`No operation of this period matches (${describePeriod(view.period, isUtc)}). New ones appear as they happen.`}
        nothing={
          view.period.kind === 'any' ? (
            <EmptyState
              title="Nothing happened yet"
              text="Every run, proxy call, sign-in and webhook is listed here, with its messages."
            />
          ) : (
            <EmptyState
              title="No operations in this period"
              text={`${describePeriod(view.period, isUtc)}. New ones appear as they happen.`}
            >
              <Button variant="default" onClick={() => view.set({ kind: 'any' })}>
                Show any time
              </Button>
            </EmptyState>
          )
        }
      />
      <ListSelection selection={selection} rows={rows} columns={columns} rowKey={rowKey} />
    </SplitView>
  );
}

const EVERY_MS = 5000;

/** Announces the number of new rows to screen readers, at most every five seconds and never each row. */
function LiveAnnouncer({ total, isLive }: { total: number | undefined; isLive: boolean }) {
  const [text, setText] = useState('');
  const countNow = useEffectEvent(() => total);
  useEffect(() => {
    if (!isLive) return;
    let known = countNow();
    const timer = setInterval(() => {
      const now = countNow();
      const count = (now ?? 0) - (known ?? now ?? 0);
      known = now;
      if (count > 0) setText(`${count} new operations`);
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [isLive]);
  return (
    <div className="visually-hidden" aria-live="polite">
      {text}
    </div>
  );
}
