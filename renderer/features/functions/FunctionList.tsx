import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { Link, useNavigate } from 'react-router';
import type { FunctionListItem } from '../../api/contract.ts';
import { useToggleFunctions } from '../../api/functions/functions-mutations.ts';
import { useFunctions } from '../../api/functions/functions-queries.ts';
import { useEditorOpener } from '../../api/hub/desktop-settings.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { IntegrationName } from '../../api/integrations/IntegrationName.tsx';
import { exportList } from '../../api/lists/export-list.ts';
import { useFilterValues } from '../../api/lists/use-filter-values.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { FunctionSelection, functionKey } from '../../components/function/FunctionSelection.tsx';
import { functionColumns } from '../../components/function/function-columns.tsx';
import { ExportMenu } from '../../components/list/ExportMenu.tsx';
import { ListFilter, ListFilters, ServedFilter } from '../../components/list/ListFilters.tsx';
import { ListTable } from '../../components/list/ListTable.tsx';
import { useGrouping } from '../../components/list/use-grouping.ts';
import { useList, useSelection } from '../../components/list/use-list.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { useColumnLayout } from '../../components/table/use-column-layout.ts';
import { useCommands } from '../../components/use-commands.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { FUNCTION_STATUS_OPTIONS, FUNCTION_TYPE_OPTIONS } from '../../lib/function-filters.ts';
import { KEY_MAP } from '../../lib/key-map.ts';
import { paths } from '../../lib/paths.ts';
import { FUNCTION_LOOK, lookOf } from '../../lib/status.ts';

// Loaded when a menu opens.
const FunctionRowActions = lazy(async () => ({
  default: (await import('./FunctionRowActions.tsx')).FunctionRowActions,
}));

const COLUMNS = functionColumns(useEditorOpener, IntegrationName);
const typeName = (type: string): string => FUNCTION_TYPE_OPTIONS.find((option) => option.value === type)?.label ?? type;

export function FunctionList() {
  const env = useEnv();
  const list = useList({ filters: ['search', 'type', 'status', 'integrations'], sort: 'name' });
  const { type, ...filters } = list.filters;
  const grouping = useGrouping('functions');
  const rows = useFunctions({ ...filters, types: type, sort: list.sort, groupBy: grouping.by });
  const integrations = useFilterValues('functions.integrations', Boolean(filters.integrations));
  const types = useFilterValues('functions.types', Boolean(type));
  const toggle = useToggleFunctions();
  const selection = useSelection<FunctionListItem>(list);
  const columns = useColumnLayout('functions', COLUMNS);
  const navigate = useNavigate();
  useCommands([{ ...KEY_MAP.create, label: 'New function', run: () => void navigate(paths.newFunction(env)) }]);
  usePage([{ label: 'Functions' }]);
  return (
    <>
      <PageHeader
        title="Functions"
        aside={<span className="soft">{rows.total === undefined ? '' : formatNumber(rows.total)}</span>}
      >
        <Button
          component={Link}
          to={paths.newFunction(env)}
          leftSection={<IconPlus size={16} stroke={1.6} aria-hidden />}
        >
          New function
        </Button>
      </PageHeader>
      <ListFilters
        list={list}
        search="Name or description"
        columns={columns}
        grouping={grouping}
        views="functions"
        end={
          <ExportMenu
            fileName="functions"
            read={(options) =>
              exportList({
                list: 'GET /api/v1/functions',
                query: { env, ...filters, types: type, sort: list.sort },
                ...options,
              })
            }
          />
        }
      >
        <ServedFilter list={list} name="type" label="Type" values={types} labelOf={typeName} />
        <ListFilter list={list} name="status" label="Status" options={FUNCTION_STATUS_OPTIONS} />
        <ServedFilter list={list} name="integrations" label="Integration" values={integrations} />
      </ListFilters>
      <ListTable
        list={list}
        label="Functions"
        columns={columns}
        rows={rows}
        rowKey={functionKey}
        rowId={(row) => row.name}
        rowMenu={(row, items) => <FunctionRowActions row={row}>{items}</FunctionRowActions>}
        selection={selection}
        rowPath={(row) => paths.function(env, row)}
        grouping={grouping}
        describeGroup={(value) => lookOf(FUNCTION_LOOK, value).label}
        nothingFits="No function matches the search and filters."
        nothing={<FirstFunction />}
      />
      <FunctionSelection selection={selection} rows={rows} columns={columns} send={toggle.mutateAsync} />
    </>
  );
}

function FirstFunction() {
  const env = useEnv();
  const { data: meta } = useQuery(metaQueryOptions());
  return (
    <EmptyState
      title="No functions yet"
      text="A function is a TypeScript file in the functions folder: syncs fetch records on a schedule, actions run when your app asks. Saving a file deploys it."
    >
      <CopyRow value={meta?.functionsFolder ?? ''} label="Copy path of the functions folder" />
      <Button component={Link} to={paths.newFunction(env)}>
        New function
      </Button>
    </EmptyState>
  );
}
