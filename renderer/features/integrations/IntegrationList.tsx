import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link, useNavigate } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import { usePractice } from '../../api/integrations/integrations-mutations.ts';
import { useIntegrations } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { FilterChip } from '../../components/FilterChip.tsx';
import { notifyError } from '../../components/notify.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { PracticeButton } from '../../components/PracticeButton.tsx';
import { usePage } from '../../components/page-context.ts';
import { SearchBox } from '../../components/SearchBox.tsx';
import { Toolbar } from '../../components/Toolbar.tsx';
import { ColumnsMenu } from '../../components/table/ColumnsMenu.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useColumns } from '../../components/table/use-columns.ts';
import { useUrlState } from '../../components/use-url-state.ts';
import { authModeName } from '../../lib/auth-modes.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { paths, windowHref } from '../../lib/paths.ts';
import { splitList } from '../../lib/search-params.ts';
import { INTEGRATION_COLUMNS } from './integration-columns.tsx';

const MODES = ['OAUTH2', 'OAUTH2_CC', 'OAUTH1', 'API_KEY', 'BASIC', 'APP', 'CUSTOM', 'NONE'];

export function IntegrationList() {
  const env = useEnv();
  const navigate = useNavigate();
  const url = useUrlState();
  const filter = { search: url.get('search'), authModes: url.get('auth'), sort: url.get('sort') ?? 'name' };
  const rows = useIntegrations(filter);
  const columns = useColumns('integrations', INTEGRATION_COLUMNS);
  usePage([{ label: 'Integrations' }]);
  const isFiltered = Boolean(filter.search || filter.authModes);
  // The empty state has its own main button.
  const isEmpty = rows.total === 0 && !isFiltered;
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
      <Toolbar end={<ColumnsMenu choice={columns} />}>
        <SearchBox
          label="Name, ID or provider"
          value={filter.search ?? ''}
          onChange={(search) => url.set({ search }, { replace: true })}
        />
        <FilterChip
          label="Auth type"
          options={MODES.map((value) => ({ value, label: authModeName(value) }))}
          selected={splitList(filter.authModes)}
          onChange={(values) => url.set({ auth: values.join(',') })}
        />
      </Toolbar>
      <DataTable
        label="Integrations"
        columns={columns.visible}
        source={rows}
        rowKey={(row) => row.key}
        sort={filter.sort}
        onSort={(sort) => url.set({ sort })}
        onOpen={(row) => void navigate(paths.integration(env, row.key))}
        rowHref={(row) => windowHref(paths.integration(env, row.key))}
        describeError={describeError}
        empty={isFiltered ? <NothingMatches onClear={() => url.set({ search: '', auth: '' })} /> : <FirstIntegration />}
      />
    </>
  );
}

function NothingMatches({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState title="Nothing matches" text="No integration fits the search and filters.">
      <Button variant="default" onClick={onClear}>
        Clear filters
      </Button>
    </EmptyState>
  );
}

function FirstIntegration() {
  const env = useEnv();
  const practice = usePractice({ onError: (error) => notifyError(describeError(error)) });
  return (
    <EmptyState
      title="No integrations yet"
      text="An integration holds what Homeport needs to talk to one provider. The practice provider works offline and needs no account."
    >
      <PracticeButton isPending={practice.isPending} onClick={practice.start} />
      <Button variant="default" component={Link} to={paths.newIntegration(env)}>
        Choose a provider
      </Button>
    </EmptyState>
  );
}
