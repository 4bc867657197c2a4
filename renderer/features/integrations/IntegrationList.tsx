import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { Link, useNavigate } from 'react-router';
import type { IntegrationListItem } from '../../api/contract.ts';
import { useIntegrations } from '../../api/integrations/use-integrations.ts';
import { exportList } from '../../api/lists/export-list.ts';
import { useFilterValues } from '../../api/lists/use-filter-values.ts';
import { useEnv } from '../../api/use-env.ts';
import { ExportMenu } from '../../components/list/ExportMenu.tsx';
import { ListFilter, ListFilters, ServedFilter } from '../../components/list/ListFilters.tsx';
import { ListSelection } from '../../components/list/ListSelection.tsx';
import { ListTable } from '../../components/list/ListTable.tsx';
import { useList, useSelection } from '../../components/list/use-list.ts';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { useColumnLayout } from '../../components/table/use-column-layout.ts';
import { useCommands } from '../../components/use-commands.ts';
import { authModeName } from '../../lib/auth-modes.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { KEY_MAP } from '../../lib/key-map.ts';
import { paths } from '../../lib/paths.ts';
import { categoryLabel } from './catalogue-choices.ts';
import { IntegrationActions } from './IntegrationMenu.tsx';
import { INTEGRATION_COLUMNS } from './integration-columns.tsx';

const FirstIntegration = lazy(async () => ({ default: (await import('./FirstIntegration.tsx')).FirstIntegration }));

const HAVING_OPTIONS = [
  { value: 'errors', label: 'Errors or missing fields' },
  { value: 'functions', label: 'Functions' },
];
const rowKey = (row: IntegrationListItem): string => row.key;

export function IntegrationList() {
  const env = useEnv();
  const list = useList({ filters: ['search', 'auth', 'category', 'having'], sort: 'name' });
  const { search, auth: authModes, category: categories, having } = list.filters;
  const filter = { search, authModes, categories, having, sort: list.sort };
  const rows = useIntegrations(filter);
  const columns = useColumnLayout('integrations', INTEGRATION_COLUMNS);
  const selection = useSelection<IntegrationListItem>(list);
  const modes = useFilterValues('integrations.authModes', Boolean(authModes));
  const known = useFilterValues('integrations.categories', Boolean(categories));
  const navigate = useNavigate();
  useCommands([{ ...KEY_MAP.create, label: 'New integration', run: () => void navigate(paths.newIntegration(env)) }]);
  usePage([{ label: 'Integrations' }]);
  // The empty state has its own main button.
  const isEmpty = rows.total === 0 && !list.isFiltered;
  return (
    <>
      <PageHeader
        title="Integrations"
        aside={<span className="soft">{rows.total === undefined ? '' : formatNumber(rows.total)}</span>}
      >
        <Button
          variant={isEmpty ? 'default' : 'filled'}
          component={Link}
          to={paths.newIntegration(env)}
          leftSection={<IconPlus size={16} stroke={1.6} />}
        >
          New integration
        </Button>
      </PageHeader>
      <ListFilters
        list={list}
        search="Name, ID or provider"
        columns={columns}
        views="integrations"
        end={
          <ExportMenu
            fileName="integrations"
            read={(options) =>
              exportList({
                list: 'GET /api/v1/integrations',
                query: { env, ...filter },
                ...options,
              })
            }
          />
        }
      >
        <ServedFilter list={list} name="auth" label="Auth type" values={modes} labelOf={authModeName} />
        <ServedFilter list={list} name="category" label="Category" values={known} labelOf={categoryLabel} />
        <ListFilter list={list} name="having" label="Has" options={HAVING_OPTIONS} />
      </ListFilters>
      <ListTable
        list={list}
        label="Integrations"
        columns={columns}
        rows={rows}
        rowKey={rowKey}
        rowId={rowKey}
        rowMenu={(row, items) => <IntegrationActions integration={row}>{items}</IntegrationActions>}
        selection={selection}
        rowPath={(row) => paths.integration(env, row.key)}
        nothingFits="No integration matches the search and filters."
        nothing={
          <Suspense fallback={null}>
            <FirstIntegration />
          </Suspense>
        }
      />
      <ListSelection selection={selection} rows={rows} columns={columns} rowKey={rowKey} />
    </>
  );
}
