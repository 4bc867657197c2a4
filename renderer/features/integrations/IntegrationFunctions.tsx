import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useNavigate } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import type { FunctionRow } from '../../api/contract.ts';
import { templatesQuery, useFunctions } from '../../api/functions/functions-queries.ts';
import { metaQuery } from '../../api/hub/hub-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { FilterChip } from '../../components/FilterChip.tsx';
import { functionColumns } from '../../components/function-columns.tsx';
import { SearchBox } from '../../components/SearchBox.tsx';
import { SplitView } from '../../components/SplitView.tsx';
import { Toolbar } from '../../components/Toolbar.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useUrlState } from '../../components/use-url-state.ts';
import { formatCount } from '../../lib/format-number.ts';
import { FUNCTION_TYPE_OPTIONS } from '../../lib/function-filters.ts';
import { paths, windowHref } from '../../lib/paths.ts';
import { splitList } from '../../lib/search-params.ts';
import { FunctionSwitch } from './FunctionSwitch.tsx';
import { TemplatePanel } from './TemplatePanel.tsx';

export function IntegrationFunctions({ integrationKey }: { integrationKey: string }) {
  const env = useEnv();
  const navigate = useNavigate();
  const { data: meta } = useQuery(metaQuery());
  const url = useUrlState();
  const filter = { search: url.get('search'), types: url.get('type') };
  const rows = useFunctions({ integrations: integrationKey, ...filter });
  const columns = useMemo(
    () => [
      ...functionColumns<FunctionRow>()
        .filter((column) => column.id !== 'integration' && column.id !== 'models')
        .map(({ sort: _, ...column }) => column),
      {
        id: 'enabled',
        header: 'Enabled',
        width: 64,
        align: 'right' as const,
        cell: (row: FunctionRow) => <FunctionSwitch row={row} />,
      },
    ],
    [],
  );
  const templates = useQuery(templatesQuery(env, integrationKey)).data ?? [];
  const isPanelOpen = url.get('templates') === 'open';
  const showPanel = (isOpen: boolean): void => url.set({ templates: isOpen ? 'open' : '' }, { replace: true });
  return (
    <SplitView
      panel={isPanelOpen && <TemplatePanel integrationKey={integrationKey} onClose={() => showPanel(false)} />}
    >
      <div style={{ paddingTop: 10 }}>
        <Toolbar
          end={
            templates.length > 0 && (
              <Button variant="default" aria-expanded={isPanelOpen} onClick={() => showPanel(!isPanelOpen)}>
                Templates <span className="faint">&nbsp;{templates.length}</span>
              </Button>
            )
          }
        >
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
        </Toolbar>
      </div>
      <DataTable
        label="Functions"
        columns={columns}
        source={rows}
        rowKey={(row) => `${row.type}/${row.name}`}
        onOpen={(row) => void navigate(paths.function(env, row))}
        rowHref={(row) => windowHref(paths.function(env, row))}
        describeError={describeError}
        empty={
          filter.search || filter.types ? (
            <EmptyState title="Nothing matches" text="No function fits the search and filter." />
          ) : (
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
          )
        }
      />
    </SplitView>
  );
}
