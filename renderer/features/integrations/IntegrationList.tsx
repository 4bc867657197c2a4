import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import { usePractice } from '../../api/integrations/integrations-mutations.ts';
import { useIntegrations } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ListFilter, ListFilters } from '../../components/list/ListFilters.tsx';
import { ListTable } from '../../components/list/ListTable.tsx';
import { useList } from '../../components/list/use-list.ts';
import { notifyError } from '../../components/notify.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { PracticeButton } from '../../components/PracticeButton.tsx';
import { usePage } from '../../components/page-context.ts';
import { useColumns } from '../../components/table/use-columns.ts';
import { authModeName } from '../../lib/auth-modes.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { INTEGRATION_COLUMNS } from './integration-columns.tsx';

const MODES = ['OAUTH2', 'OAUTH2_CC', 'OAUTH1', 'API_KEY', 'BASIC', 'APP', 'CUSTOM', 'NONE'];

const AUTH_OPTIONS = MODES.map((value) => ({ value, label: authModeName(value) }));

export function IntegrationList() {
  const env = useEnv();
  const list = useList({ filters: ['search', 'auth'], sort: 'name' });
  const { search, auth: authModes } = list.filters;
  const rows = useIntegrations({ search, authModes, sort: list.sort });
  const columns = useColumns('integrations', INTEGRATION_COLUMNS);
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
      <ListFilters list={list} search="Name, ID or provider" columns={columns}>
        <ListFilter list={list} name="auth" label="Auth type" options={AUTH_OPTIONS} />
      </ListFilters>
      <ListTable
        list={list}
        label="Integrations"
        columns={columns.visible}
        rows={rows}
        rowKey={(row) => row.key}
        rowPath={(row) => paths.integration(env, row.key)}
        describeError={describeError}
        nothingFits="No integration fits the search and filters."
        nothing={<FirstIntegration />}
      />
    </>
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
