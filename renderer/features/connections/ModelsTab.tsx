import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { syncsQueryOptions } from '../../api/connections/connections-queries.ts';
import type { ConnectionDetail, ModelRow } from '../../api/contract.ts';
import { useRecordImport } from '../../api/records/file-import.ts';
import { modelsQueryOptions } from '../../api/records/records-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { ImportButton } from '../../components/record/ImportButton.tsx';
import { type Column, wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { Tag } from '../../components/tag/Tag.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatNumber } from '../../lib/format-number.ts';
import { paths, windowHref } from '../../lib/paths.ts';

const COLUMNS: Column<ModelRow>[] = [
  {
    id: 'model',
    header: 'Model',
    width: 200,
    grow: true,
    cell: (row) => (
      <span className="row">
        <span className="name">{row.model}</span>
        {row.variant !== 'base' && <Tag>{row.variant}</Tag>}
      </span>
    ),
  },
  { id: 'count', header: 'Records', width: 96, align: 'right', cell: (row) => formatNumber(row.count) },
  {
    id: 'modified',
    header: 'Last change',
    width: 112,
    align: 'right',
    cell: (row) => <RelativeTime at={row.lastModifiedAt} />,
  },
];

export function ModelsTab({ connection }: { connection: ConnectionDetail }) {
  const env = useEnv();
  const navigate = useNavigate();
  const models = useQuery(modelsQueryOptions(env, connection));
  const declared = useQuery(syncsQueryOptions(env, connection)).data?.flatMap((sync) => sync.models);
  const known = models.data?.map(({ model }) => model);
  const button = (
    <ImportButton
      imports={useRecordImport(connection)}
      into={{ models: [...new Set([...(declared ?? []), ...(known ?? [])])].sort() }}
      onDone={(model) => void navigate(paths.records(env, connection, model, 'base'))}
    />
  );
  return (
    <>
      {(models.isPending || (known && known.length > 0)) && (
        <Group className="rigid line-below" justify="flex-end" px="var(--hp-gutter)" py={10}>
          {button}
        </Group>
      )}
      <DataTable
        label="Models"
        columns={COLUMNS}
        source={wholeRows(models)}
        rowKey={(row) => `${row.model}::${row.variant}`}
        onOpen={(row) => void navigate(paths.records(env, connection, row.model, row.variant))}
        rowHref={(row) => windowHref(paths.records(env, connection, row.model, row.variant))}
        empty={
          <EmptyState
            title="No records yet"
            text="Records appear here once a sync of this connection has saved some. Records of a file can be imported: CSV, Parquet or JSON."
          >
            {button}
          </EmptyState>
        }
      />
    </>
  );
}
