import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { describeError } from '../../api/api-error.ts';
import type { FunctionListItem } from '../../api/contract.ts';
import { templatesQueryOptions, useFunctions } from '../../api/functions/functions-queries.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { functionColumns } from '../../components/function-columns.tsx';
import { ListFilter, ListFilters } from '../../components/list/ListFilters.tsx';
import { ListTable } from '../../components/list/ListTable.tsx';
import { useList } from '../../components/list/use-list.ts';
import { SplitView } from '../../components/SplitView.tsx';
import { formatCount } from '../../lib/format-number.ts';
import { FUNCTION_TYPE_OPTIONS } from '../../lib/function-filters.ts';
import { paths } from '../../lib/paths.ts';
import { FunctionSwitch } from './FunctionSwitch.tsx';
import { TemplatePanel } from './TemplatePanel.tsx';

export function IntegrationFunctions({ integrationKey }: { integrationKey: string }) {
  const env = useEnv();
  const { data: meta } = useQuery(metaQueryOptions());
  const list = useList({ filters: ['search', 'type'] });
  const { search, type } = list.filters;
  const rows = useFunctions({ integrations: integrationKey, search, types: type });
  const columns = useMemo(
    () => [
      ...functionColumns<FunctionListItem>()
        .filter((column) => column.id !== 'integration' && column.id !== 'models')
        .map(({ sort: _, ...column }) => column),
      {
        id: 'enabled',
        header: 'Enabled',
        width: 64,
        align: 'right' as const,
        cell: (row: FunctionListItem) => <FunctionSwitch row={row} />,
      },
    ],
    [],
  );
  const templates = useQuery(templatesQueryOptions(env, integrationKey)).data ?? [];
  const isPanelOpen = list.url.get('templates') === 'open';
  const showPanel = (isOpen: boolean): void => list.url.set({ templates: isOpen ? 'open' : '' }, { replace: true });
  return (
    <SplitView
      panel={isPanelOpen && <TemplatePanel integrationKey={integrationKey} onClose={() => showPanel(false)} />}
    >
      <div style={{ paddingTop: 10 }}>
        <ListFilters
          list={list}
          search="Name or description"
          end={
            templates.length > 0 && (
              <Button variant="default" aria-expanded={isPanelOpen} onClick={() => showPanel(!isPanelOpen)}>
                Templates <span className="faint">&nbsp;{templates.length}</span>
              </Button>
            )
          }
        >
          <ListFilter list={list} name="type" label="Type" options={FUNCTION_TYPE_OPTIONS} />
        </ListFilters>
      </div>
      <ListTable
        list={list}
        label="Functions"
        columns={columns}
        rows={rows}
        rowKey={(row) => `${row.type}/${row.name}`}
        rowPath={(row) => paths.function(env, row)}
        describeError={describeError}
        nothingFits="No function fits the search and filter."
        nothing={
          <EmptyState
            title="No functions yet"
            text={
              <>
                A function is a TypeScript file that runs for the connections of this integration. Save one as{' '}
                <code>{`${meta?.functionsFolder ?? ''}/${integrationKey}/syncs/<name>.ts`}</code> and it appears here.
                {templates.length > 0 && ' Templates are such files, ready to run and yours to change.'}
              </>
            }
          >
            {templates.length > 0 && (
              <Button variant="default" onClick={() => showPanel(true)}>
                Choose from {formatCount(templates.length, 'template')}
              </Button>
            )}
          </EmptyState>
        }
      />
    </SplitView>
  );
}
