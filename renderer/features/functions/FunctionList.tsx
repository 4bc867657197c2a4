import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import type { FunctionRow } from '../../api/contract.ts';
import { useFunctions } from '../../api/functions/functions-queries.ts';
import { metaQuery } from '../../api/hub/hub-queries.ts';
import { integrationOptionsQuery } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { FilterChip } from '../../components/FilterChip.tsx';
import { functionColumns } from '../../components/function-columns.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { usePage } from '../../components/page-context.ts';
import { SearchBox } from '../../components/SearchBox.tsx';
import { Toolbar } from '../../components/Toolbar.tsx';
import { ColumnsMenu } from '../../components/table/ColumnsMenu.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useColumns } from '../../components/table/use-columns.ts';
import { useUrlState } from '../../components/use-url-state.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { FUNCTION_STATUS_OPTIONS, FUNCTION_TYPE_OPTIONS } from '../../lib/function-filters.ts';
import { paths, windowHref } from '../../lib/paths.ts';
import { splitList } from '../../lib/search-params.ts';

const COLUMNS = functionColumns<FunctionRow>();

export function FunctionList() {
  const env = useEnv();
  const navigate = useNavigate();
  const url = useUrlState();
  const filter = {
    search: url.get('search'),
    integrations: url.get('integrations'),
    types: url.get('type'),
    status: url.get('status'),
    sort: url.get('sort') ?? 'name',
  };
  const rows = useFunctions(filter);
  const integrations = useQuery(integrationOptionsQuery(env)).data ?? [];
  const columns = useColumns('functions', COLUMNS);
  usePage([{ label: 'Functions' }]);
  const isFiltered = Boolean(filter.search || filter.integrations || filter.types || filter.status);
  return (
    <>
      <PageHeader
        title="Functions"
        aside={<span className="soft">{rows.total === undefined ? '' : formatNumber(rows.total)}</span>}
      />
      <Toolbar end={<ColumnsMenu choice={columns} />}>
        <SearchBox
          label="Name or description"
          value={filter.search ?? ''}
          onChange={(search) => url.set({ search }, { replace: true })}
        />
        <FilterChip
          label="Type"
          options={FUNCTION_TYPE_OPTIONS}
          selected={splitList(filter.types)}
          onChange={(values) => url.set({ type: values.join(',') })}
        />
        <FilterChip
          label="Status"
          options={FUNCTION_STATUS_OPTIONS}
          selected={splitList(filter.status)}
          onChange={(values) => url.set({ status: values.join(',') })}
        />
        <FilterChip
          label="Integration"
          options={integrations.map((one) => ({ value: one.key, label: one.displayName }))}
          selected={splitList(filter.integrations)}
          onChange={(values) => url.set({ integrations: values.join(',') })}
        />
      </Toolbar>
      <DataTable
        label="Functions"
        columns={columns.visible}
        source={rows}
        rowKey={(row) => `${row.integrationKey}/${row.type}/${row.name}`}
        sort={filter.sort}
        onSort={(sort) => url.set({ sort })}
        onOpen={(row) => void navigate(paths.function(env, row))}
        rowHref={(row) => windowHref(paths.function(env, row))}
        describeError={describeError}
        empty={
          isFiltered ? (
            <EmptyState title="Nothing matches" text="No function fits the search and filters.">
              <Button variant="default" onClick={() => url.set({ search: '', type: '', status: '', integrations: '' })}>
                Clear filters
              </Button>
            </EmptyState>
          ) : (
            <FirstFunction />
          )
        }
      />
    </>
  );
}

function FirstFunction() {
  const { data: meta } = useQuery(metaQuery());
  return (
    <EmptyState
      title="No functions yet"
      text="A function is a TypeScript file in the functions folder: syncs fetch records on a schedule, actions run when your app asks. Saving a file deploys it."
    >
      <CopyRow value={meta?.functionsFolder ?? ''} label="Copy path of the functions folder" />
    </EmptyState>
  );
}
