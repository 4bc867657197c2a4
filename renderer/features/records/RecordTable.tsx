import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useParams } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import { connectionQueryOptions } from '../../api/connections/connections-queries.ts';
import type { RecordListItem } from '../../api/contract.ts';
import { exportList } from '../../api/lists/export-list.ts';
import { useRecords } from '../../api/records/records-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ExportMenu } from '../../components/list/ExportMenu.tsx';
import { ListFilter, ListFilters } from '../../components/list/ListFilters.tsx';
import { ListTable } from '../../components/list/ListTable.tsx';
import { SelectionBar } from '../../components/list/SelectionBar.tsx';
import { useList, useSelection } from '../../components/list/use-list.ts';
import { useOpenRow } from '../../components/list/use-open-row.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { usePage } from '../../components/page-context.ts';
import { SplitView } from '../../components/SplitView.tsx';
import { Tag } from '../../components/Tag.tsx';
import { useColumnLayout } from '../../components/table/use-column-layout.ts';
import { formatCount } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { AsOfChip } from './AsOfChip.tsx';
import { RecordPanel } from './RecordPanel.tsx';
import { recordColumns } from './record-columns.tsx';

const rowKey = (row: { id: string }): string => row.id;

const ACTIONS = [
  { value: 'ADDED', label: 'Added' },
  { value: 'UPDATED', label: 'Updated' },
  { value: 'DELETED', label: 'Deleted' },
];

export function RecordTable() {
  const env = useEnv();
  const { integrationKey = '', connectionId = '', model = '' } = useParams();
  const list = useList({ filters: ['search', 'action'], sort: '-modified' });
  const { url } = list;
  const variant = url.get('variant') ?? 'base';
  const at = url.get('at');
  const connection = { integrationKey, connectionId };
  const { search, action: actions } = list.filters;
  const rows = useRecords(connection, { model, variant, search, actions, sort: list.sort, at });
  const name = useQuery(connectionQueryOptions(env, connection)).data?.displayName ?? connectionId;
  const sample = rows.rowAt(0);
  const shape = Object.keys(sample?.preview ?? {}).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: new columns only when the members change, not with every row.
  const all = useMemo(() => recordColumns(sample), [shape]);
  const columns = useColumnLayout(`records.${model}`, all);
  const selection = useSelection<RecordListItem>(list);
  const opened = useOpenRow(url, 'record', rows);
  const { open, show, step } = opened;
  const nothingThen = `No ${model} that fits existed at this moment.`;
  usePage([
    { label: 'Connections', to: paths.connections(env) },
    { label: name, to: paths.connection(env, connection) },
    { label: 'Records', to: paths.connection(env, connection, 'records') },
    { label: model },
  ]);
  return (
    <SplitView
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
            {rows.lost > 0 && (
              <span className="faint">{formatCount(rows.lost, 'more record')} whose version of then is not kept</span>
            )}
          </>
        }
      />
      <ListFilters
        list={list}
        search="Search ID and text"
        columns={columns}
        end={
          <ExportMenu
            fileName={model}
            describeError={describeError}
            read={(options) =>
              exportList({
                list: 'GET /api/v1/connections/:integrationKey/:connectionId/records',
                params: connection,
                query: { env, model, variant, search, actions, sort: list.sort, at },
                ...options,
              })
            }
          />
        }
      >
        <ListFilter list={list} name="action" label="Action" options={ACTIONS} />
        <AsOfChip
          connection={connection}
          stream={{ model, variant }}
          at={at}
          onChange={(next) => url.set({ at: next, record: undefined })}
        />
      </ListFilters>
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
        describeError={describeError}
        nothingFits={at === undefined ? 'No record fits the search and filters.' : nothingThen}
        nothing={
          at === undefined ? (
            <EmptyState title="No records" text={`No sync of this connection has saved a ${model} yet.`} />
          ) : (
            <EmptyState title="Nothing there" text={nothingThen} />
          )
        }
      />
      <SelectionBar selection={selection} rows={rows} columns={columns} rowKey={rowKey} describeError={describeError} />
    </SplitView>
  );
}
