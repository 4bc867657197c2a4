import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useParams } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import { connectionQuery } from '../../api/connections/connections-queries.ts';
import { useRecords } from '../../api/records/records-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { FilterChip } from '../../components/FilterChip.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { usePage } from '../../components/page-context.ts';
import { SearchBox } from '../../components/SearchBox.tsx';
import { SplitView } from '../../components/SplitView.tsx';
import { Tag } from '../../components/Tag.tsx';
import { Toolbar } from '../../components/Toolbar.tsx';
import { ColumnsMenu } from '../../components/table/ColumnsMenu.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useColumns } from '../../components/table/use-columns.ts';
import { useOpenRow } from '../../components/table/use-open-row.ts';
import { useUrlState } from '../../components/use-url-state.ts';
import { formatCount } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { splitList } from '../../lib/search-params.ts';
import { AsOfChip } from './AsOfChip.tsx';
import { RecordPanel } from './RecordPanel.tsx';
import { recordColumns } from './record-columns.tsx';

const ACTIONS = [
  { value: 'ADDED', label: 'Added' },
  { value: 'UPDATED', label: 'Updated' },
  { value: 'DELETED', label: 'Deleted' },
];

export function RecordTable() {
  const env = useEnv();
  const { integrationKey = '', connectionId = '', model = '' } = useParams();
  const url = useUrlState();
  const variant = url.get('variant') ?? 'base';
  const connection = { integrationKey, connectionId };
  const filter = {
    model,
    variant,
    search: url.get('search'),
    actions: url.get('action'),
    sort: url.get('sort') ?? '-modified',
    at: url.get('at'),
  };
  const rows = useRecords(connection, filter);
  const name = useQuery(connectionQuery(env, connection)).data?.displayName ?? connectionId;
  const sample = rows.rowAt(0);
  const shape = Object.keys(sample?.preview ?? {}).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: new columns only when the members change, not with every row.
  const all = useMemo(() => recordColumns(sample), [shape]);
  const columns = useColumns(`records.${model}`, all);
  const { open, show, step } = useOpenRow(url, 'record', rows);
  usePage([
    { label: 'Connections', to: paths.connections(env) },
    { label: name, to: paths.connection(env, connection) },
    { label: 'Records', to: paths.connection(env, connection, 'records') },
    { label: model },
  ]);
  const isFiltered = Boolean(filter.search || filter.actions);
  return (
    <SplitView
      panel={
        open && (
          <RecordPanel
            key={open}
            connection={connection}
            model={model}
            variant={variant}
            at={filter.at}
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
            {rows.lost > 0 && (
              <span className="faint">{formatCount(rows.lost, 'more record')} whose version of then is not kept</span>
            )}
          </>
        }
      />
      <Toolbar end={<ColumnsMenu choice={columns} />}>
        <SearchBox
          label="Search ID and text"
          value={filter.search ?? ''}
          onChange={(search) => url.set({ search }, { replace: true })}
        />
        <FilterChip
          label="Action"
          options={ACTIONS}
          selected={splitList(filter.actions)}
          onChange={(values) => url.set({ action: values.join(',') })}
        />
        <AsOfChip
          connection={connection}
          stream={{ model, variant }}
          at={filter.at}
          onChange={(at) => url.set({ at, record: undefined })}
        />
      </Toolbar>
      <DataTable
        label={`Records of ${model}`}
        columns={columns.visible}
        source={rows}
        rowKey={(row) => row.id}
        sort={filter.sort}
        onSort={(sort) => url.set({ sort })}
        onOpen={(row) => show(row.id)}
        openKey={open}
        onClose={() => show(undefined)}
        isDim={(row) => row.action === 'DELETED'}
        describeError={describeError}
        empty={
          filter.at !== undefined ? (
            <EmptyState title="Nothing there" text={`No ${model} that fits existed at this moment.`} />
          ) : isFiltered ? (
            <EmptyState title="Nothing matches" text="No record fits the search and filters." />
          ) : (
            <EmptyState title="No records" text={`No sync of this connection has saved a ${model} yet.`} />
          )
        }
      />
    </SplitView>
  );
}
