import { useQuery } from '@tanstack/react-query';
import { describeError } from '../../api/api-error.ts';
import type { FunctionListItem } from '../../api/contract.ts';
import { useFunctions } from '../../api/functions/functions-queries.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { integrationChoicesQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { functionColumns } from '../../components/function-columns.tsx';
import { IntegrationFilter, ListFilter, ListFilters } from '../../components/list/ListFilters.tsx';
import { ListTable } from '../../components/list/ListTable.tsx';
import { useList } from '../../components/list/use-list.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { usePage } from '../../components/page-context.ts';
import { useColumns } from '../../components/table/use-columns.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { FUNCTION_STATUS_OPTIONS, FUNCTION_TYPE_OPTIONS } from '../../lib/function-filters.ts';
import { paths } from '../../lib/paths.ts';

const COLUMNS = functionColumns<FunctionListItem>();

export function FunctionList() {
  const env = useEnv();
  const list = useList({ filters: ['search', 'type', 'status', 'integrations'], sort: 'name' });
  const { type, ...filters } = list.filters;
  const rows = useFunctions({ ...filters, types: type, sort: list.sort });
  const integrations = useQuery(integrationChoicesQueryOptions(env)).data ?? [];
  const columns = useColumns('functions', COLUMNS);
  usePage([{ label: 'Functions' }]);
  return (
    <>
      <PageHeader
        title="Functions"
        aside={<span className="soft">{rows.total === undefined ? '' : formatNumber(rows.total)}</span>}
      />
      <ListFilters list={list} search="Name or description" columns={columns}>
        <ListFilter list={list} name="type" label="Type" options={FUNCTION_TYPE_OPTIONS} />
        <ListFilter list={list} name="status" label="Status" options={FUNCTION_STATUS_OPTIONS} />
        <IntegrationFilter list={list} integrations={integrations} />
      </ListFilters>
      <ListTable
        list={list}
        label="Functions"
        columns={columns.visible}
        rows={rows}
        rowKey={(row) => `${row.integrationKey}/${row.type}/${row.name}`}
        rowPath={(row) => paths.function(env, row)}
        describeError={describeError}
        nothingFits="No function fits the search and filters."
        nothing={<FirstFunction />}
      />
    </>
  );
}

function FirstFunction() {
  const { data: meta } = useQuery(metaQueryOptions());
  return (
    <EmptyState
      title="No functions yet"
      text="A function is a TypeScript file in the functions folder: syncs fetch records on a schedule, actions run when your app asks. Saving a file deploys it."
    >
      <CopyRow value={meta?.functionsFolder ?? ''} label="Copy path of the functions folder" />
    </EmptyState>
  );
}
