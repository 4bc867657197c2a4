import { useQuery } from '@tanstack/react-query';
import { lazy, useEffect, useMemo, useState } from 'react';
import { useParams } from 'react-router';
import { type ConnectionRef, connectionQueryOptions } from '../../api/connections/connections-queries.ts';
import type { ModelRow, RecordListItem } from '../../api/contract.ts';
import { exportList } from '../../api/lists/export-list.ts';
import { useRecordImport } from '../../api/records/file-import.ts';
import { modelsQueryOptions, recordHistoryQueryOptions, useRecords } from '../../api/records/records-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { ExportMenu } from '../../components/list/ExportMenu.tsx';
import { ListFilter, ListFilters } from '../../components/list/ListFilters.tsx';
import { ListSelection } from '../../components/list/ListSelection.tsx';
import { ListTable } from '../../components/list/ListTable.tsx';
import { useList, useSelection } from '../../components/list/use-list.ts';
import { useOpenRow } from '../../components/list/use-open-row.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { NotFoundPage } from '../../components/page/NotFoundPage.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { PageSkeleton } from '../../components/page/PageSkeleton.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { PANELS } from '../../components/page/panel-width.ts';
import { SplitView } from '../../components/page/SplitView.tsx';
import type { UrlState } from '../../components/page/use-url-state.ts';
import { ImportButton } from '../../components/record/ImportButton.tsx';
import { useColumnLayout } from '../../components/table/use-column-layout.ts';
import { Tag } from '../../components/tag/Tag.tsx';
import { PeriodPicker } from '../../components/time/PeriodPicker.tsx';
import { isMissing } from '../../lib/api-error.ts';
import { formatCount } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { edgesOf, listPeriodOf, type Period, readPeriod, writePeriod } from '../../lib/period.ts';
import { AsOfChip } from './AsOfChip.tsx';
import { AsOfSlider } from './AsOfSlider.tsx';
import { decimalsOf, recordColumns, shownFieldsOf } from './record-columns.tsx';

const RecordPanel = lazy(async () => ({ default: (await import('./RecordPanel.tsx')).RecordPanel }));

/** The rows of the first page. */
const MEASURED_ROWS = 200;

const rowKey = (row: { id: string }): string => row.id;

const ACTIONS = [
  { value: 'ADDED', label: 'Added' },
  { value: 'UPDATED', label: 'Updated' },
  { value: 'DELETED', label: 'Deleted' },
];

/** The initial period: records of any time. */
const ANY_TIME: Period = { kind: 'any' };

export function RecordTable() {
  const env = useEnv();
  const { integrationKey = '', connectionId = '', model = '' } = useParams();
  const models = useQuery(modelsQueryOptions(env, { integrationKey, connectionId }));
  // The columns follow from the models; when those cannot be read, the columns follow from the rows.
  if (models.isPending) return <PageSkeleton />;
  if (isMissing(models.error)) return <MissingConnection message={models.error.message} />;
  const described = models.data?.find((one) => one.model === model)?.fields ?? [];
  return <Records connection={{ integrationKey, connectionId }} model={model} described={described} />;
}

function MissingConnection({ message }: { message: string }) {
  const env = useEnv();
  usePage([
    { label: 'Connections', to: paths.connections(env) },
    { label: 'Not found', isTitle: true },
  ]);
  return <NotFoundPage message={message} to={paths.connections(env)} toLabel="All connections" />;
}

/** A moment from the address; undefined when it cannot be read. */
const momentOf = (text: string | undefined): string | undefined =>
  text === undefined || Number.isNaN(Date.parse(text)) ? undefined : text;

interface RecordsProps {
  connection: ConnectionRef;
  model: string;
  described: ModelRow['fields'];
}

function Records({ connection, model, described }: RecordsProps) {
  const env = useEnv();
  const list = useList({ filters: ['search', 'action', 'period'], sort: '-modified' });
  const { url } = list;
  const variant = url.get('variant') ?? 'base';
  const at = momentOf(url.get('at'));
  const { search, action: actions } = list.filters;
  const [sample, setSample] = useState<RecordListItem>();
  const shape = JSON.stringify(shownFieldsOf(described, sample));
  const [decimals, setDecimals] = useState('{}');
  const all = useMemo(
    () => recordColumns(JSON.parse(shape) as ModelRow['fields'], JSON.parse(decimals) as Record<string, number>),
    [shape, decimals],
  );
  const columns = useColumnLayout(`records.${model}`, all);
  const shown = columns.visible.filter(({ id }) => described.some(({ name }) => name === id)).map(({ id }) => id);
  const modified = useModified(url);
  const filter = {
    ...{ model, variant, search, actions, at, sort: list.sort, period: modified.listPeriod },
    ...(described.length > 0 && { fields: shown.sort().join() }),
  };
  const rows = useRecords(connection, filter);
  const into = { imports: useRecordImport(connection), into: { model, variant } };
  const name = useQuery(connectionQueryOptions(env, connection)).data?.displayName ?? connection.connectionId;
  const history = useQuery(recordHistoryQueryOptions(env, connection, { model, variant }));
  const isHistoryKnown = !history.isPending || history.failureCount > 0;
  const first = rows.rowAt(0);
  useEffect(() => setSample((old) => old ?? first), [first]);
  // One page decides for all: columns must not move while the person scrolls.
  const { rowAt, snapshot } = rows;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a first page is measured once.
  useEffect(() => {
    const page = Array.from({ length: MEASURED_ROWS }, (_, index) => rowAt(index)).filter((row) => row !== undefined);
    setDecimals(JSON.stringify(decimalsOf(page)));
  }, [snapshot, first]);
  const selection = useSelection<RecordListItem>(list);
  const opened = useOpenRow(url, 'record', rows);
  const { open, show, step } = opened;
  const nothingThen = `No ${model} matched at this time.`;
  usePage([
    { label: 'Connections', to: paths.connections(env) },
    { label: name, to: paths.connection(env, connection) },
    { label: 'Records', to: paths.connection(env, connection, 'records') },
    { label: model },
  ]);
  return (
    <SplitView
      panelWidth={PANELS.record}
      panel={
        open && (
          <RecordPanel
            connection={connection}
            model={model}
            variant={variant}
            at={at}
            recordId={open}
            onClose={() => show(undefined)}
            onStep={step}
          />
        )
      }
    >
      <PageHeader
        title={model}
        aside={
          <>
            {variant !== 'base' && <Tag>{variant}</Tag>}
            <span className="soft">{rows.total === undefined ? '' : formatCount(rows.total, 'record')}</span>
          </>
        }
        sub={
          rows.lost > 0 &&
          `${formatCount(rows.lost, 'more record')} existed then, but no version from that time is kept.`
        }
      />
      <ListFilters
        list={list}
        search="Search ID and text"
        columns={columns}
        end={
          <>
            <ImportButton {...into} isIcon />
            <ExportMenu
              fileName={model}
              hasSqlite
              read={(options) =>
                exportList({
                  list: 'GET /api/v1/connections/:integrationKey/:connectionId/records',
                  params: { ...connection },
                  query: { env, ...filter },
                  ...options,
                })
              }
            />
          </>
        }
      >
        <ListFilter list={list} name="action" label="Action" options={ACTIONS} />
        <PeriodPicker label="Modified" period={modified.period} onChange={modified.set} />
        <AsOfChip
          connection={connection}
          stream={{ model, variant }}
          at={at}
          onChange={(next) => url.set({ at: next, record: undefined })}
        />
      </ListFilters>
      <AsOfSlider
        connection={connection}
        stream={{ model, variant }}
        at={at}
        onChange={(next) => url.set({ at: next, record: undefined }, { replace: true })}
      />
      {/* Not before it is known whether the slider is above it. */}
      {isHistoryKnown && (
        <ListTable
          list={list}
          label={`Records of ${model}`}
          columns={columns}
          rows={rows}
          rowKey={rowKey}
          rowId={rowKey}
          opened={opened}
          selection={selection}
          isDim={(row) => row.action === 'DELETED'}
          nothingFits={at === undefined ? 'No record matches the search and filters.' : nothingThen}
          nothing={
            at === undefined ? (
              <EmptyState title="No records" text={`No sync of this connection has saved a ${model} yet.`}>
                <ImportButton {...into} />
              </EmptyState>
            ) : (
              <EmptyState title="Nothing there" text={nothingThen} />
            )
          }
        />
      )}
      <ListSelection selection={selection} rows={rows} columns={columns} rowKey={rowKey} />
    </SplitView>
  );
}

/** The period of change in the address; by default any time. */
function useModified(url: UrlState) {
  const period = readPeriod(url.get('period'), url.get('live'), ANY_TIME);
  const key = JSON.stringify(period);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for the period; its start stays as it was.
  const { from, to } = useMemo(() => edgesOf(period, Date.now()), [key]);
  return {
    period,
    listPeriod: listPeriodOf(url.get('period'), { from, to }),
    set: (next: Period) => url.set(writePeriod(next, Date.now(), ANY_TIME)),
  };
}
