import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { Link } from 'react-router';
import type { FunctionListItem } from '../../api/contract.ts';
import { useToggleFunction, useToggleFunctions } from '../../api/functions/functions-mutations.ts';
import { templatesQueryOptions, useFunctions } from '../../api/functions/functions-queries.ts';
import { useEditorOpener } from '../../api/hub/desktop-settings.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { IntegrationName } from '../../api/integrations/IntegrationName.tsx';
import { exportList } from '../../api/lists/export-list.ts';
import { useEnv } from '../../api/use-env.ts';
import { EnabledSwitch } from '../../components/function/EnabledSwitch.tsx';
import { FunctionSelection, functionKey } from '../../components/function/FunctionSelection.tsx';
import { functionColumns } from '../../components/function/function-columns.tsx';
import { ExportMenu } from '../../components/list/ExportMenu.tsx';
import { ListFilter, ListFilters } from '../../components/list/ListFilters.tsx';
import { ListTable } from '../../components/list/ListTable.tsx';
import { useList, useSelection } from '../../components/list/use-list.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import type { Column } from '../../components/table/columns.ts';
import { useColumnLayout } from '../../components/table/use-column-layout.ts';
import { formatCount } from '../../lib/format-number.ts';
import { FUNCTION_TYPE_OPTIONS } from '../../lib/function-filters.ts';
import { paths } from '../../lib/paths.ts';

// Loaded when a menu opens.
const FunctionRowActions = lazy(async () => ({
  default: (await import('../functions/FunctionRowActions.tsx')).FunctionRowActions,
}));

const COLUMNS: Column<FunctionListItem>[] = [
  ...functionColumns(useEditorOpener, IntegrationName).filter(({ id }) => id !== 'integration'),
  {
    id: 'enabled',
    header: 'Enabled',
    width: 64,
    align: 'right',
    text: (row) => String(row.isEnabled),
    cell: (row) => <FunctionSwitch row={row} />,
  },
];

export function IntegrationFunctions({ integrationKey }: { integrationKey: string }) {
  const env = useEnv();
  const { data: meta } = useQuery(metaQueryOptions());
  const list = useList({ filters: ['search', 'type'], sort: 'name' });
  const { search, type } = list.filters;
  const filter = { integrations: integrationKey, search, types: type, sort: list.sort };
  const rows = useFunctions(filter);
  const columns = useColumnLayout('integration-functions', COLUMNS);
  const toggle = useToggleFunctions();
  const selection = useSelection<FunctionListItem>(list);
  const templates = useQuery(templatesQueryOptions(env, integrationKey)).data ?? [];
  return (
    <>
      <ListFilters
        isBelowTabs
        list={list}
        search="Name or description"
        columns={columns}
        end={
          <>
            <ExportMenu
              fileName={`functions-${integrationKey}`}
              read={(options) => exportList({ list: 'GET /api/v1/functions', query: { env, ...filter }, ...options })}
            />
            <Button
              variant="default"
              component={Link}
              to={paths.newFunction(env, integrationKey)}
              leftSection={<IconPlus size={16} stroke={1.6} aria-hidden />}
            >
              New function
            </Button>
          </>
        }
      >
        <ListFilter list={list} name="type" label="Type" options={FUNCTION_TYPE_OPTIONS} />
      </ListFilters>
      <ListTable
        list={list}
        label="Functions"
        columns={columns}
        rows={rows}
        rowKey={functionKey}
        rowId={(row) => row.name}
        rowPath={(row) => paths.function(env, row)}
        rowMenu={(row, items) => <FunctionRowActions row={row}>{items}</FunctionRowActions>}
        selection={selection}
        nothingFits="No function matches the search and filter."
        nothing={
          <EmptyState
            title="No functions yet"
            text={
              <>
                A function is a TypeScript file that runs for the connections of this integration. Save one as{' '}
                <code>{`${meta?.functionsFolder ?? ''}/${integrationKey}/syncs/<name>.ts`}</code> and it appears here.
                {templates.length > 0 && ' Templates are such files. They run at once, and you can change them.'}
              </>
            }
          >
            {templates.length > 0 && (
              <Button variant="default" component={Link} to={paths.integration(env, integrationKey, 'templates')}>
                Choose from {formatCount(templates.length, 'template')}
              </Button>
            )}
          </EmptyState>
        }
      />
      <FunctionSelection selection={selection} rows={rows} columns={columns} send={toggle.mutateAsync} />
    </>
  );
}

function FunctionSwitch({ row }: { row: FunctionListItem }) {
  const toggle = useToggleFunction(row);
  return (
    <EnabledSwitch
      aria-label={`${row.name} enabled`}
      name={row.name}
      type={row.type}
      isEnabled={row.isEnabled}
      isPending={toggle.isPending}
      onChange={toggle.mutateAsync}
    />
  );
}
