import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useNavigate } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import type { ProviderRow } from '../../api/contract.ts';
import { providersQuery } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { FilterChip } from '../../components/list/FilterChip.tsx';
import { SearchBox } from '../../components/list/SearchBox.tsx';
import { Toolbar } from '../../components/list/Toolbar.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { ProviderLogo } from '../../components/ProviderLogo.tsx';
import { usePage } from '../../components/page-context.ts';
import { Tag } from '../../components/Tag.tsx';
import { type Column, wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useUrlState } from '../../components/use-url-state.ts';
import { authModeName } from '../../lib/auth-modes.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { splitList } from '../../lib/search-params.ts';

const COLUMNS: Column<ProviderRow>[] = [
  {
    id: 'name',
    header: 'Provider',
    width: 200,
    grow: true,
    cell: (row) => (
      <span className="row">
        <ProviderLogo provider={row.name} name={row.displayName} size={20} />
        <span className="name cut">{row.displayName}</span>
      </span>
    ),
  },
  { id: 'id', header: 'ID', width: 180, cell: (row) => <code className="cut">{row.name}</code> },
  {
    id: 'auth',
    header: 'Auth type',
    width: 120,
    cell: (row) => <span className="soft">{authModeName(row.authMode)}</span>,
  },
  {
    id: 'categories',
    header: 'Categories',
    width: 220,
    cell: (row) => (
      <span className="row">
        {row.categories.slice(0, 2).map((one) => (
          <Tag key={one}>{one}</Tag>
        ))}
      </span>
    ),
  },
];

/** Names that begin with the search come first, then those that hold it. */
function rank(provider: ProviderRow, search: string): number {
  const name = provider.displayName.toLowerCase();
  if (name.startsWith(search)) return 0;
  return name.includes(search) || provider.name.includes(search) ? 1 : 2;
}

const options = (values: string[]): { value: string; label: string }[] =>
  [...new Set(values)].sort().map((value) => ({ value, label: authModeName(value) }));

export function ProviderCatalogue() {
  const env = useEnv();
  const navigate = useNavigate();
  const url = useUrlState();
  const providers = useQuery(providersQuery());
  const search = (url.get('search') ?? '').trim().toLowerCase();
  const [auth, category] = [url.get('auth'), url.get('category')];
  usePage([{ label: 'Integrations', to: paths.integrations(env) }, { label: 'New integration' }]);
  const shown = useMemo(() => {
    const [modes, categories] = [splitList(auth), splitList(category)];
    return providers.data
      ?.filter((one) => rank(one, search) < 2)
      .filter((one) => modes.length === 0 || modes.includes(one.authMode))
      .filter((one) => categories.length === 0 || one.categories.some((name) => categories.includes(name)))
      .sort((a, b) => rank(a, search) - rank(b, search) || a.displayName.localeCompare(b.displayName));
  }, [providers.data, search, auth, category]);
  return (
    <>
      <PageHeader
        title="Choose a provider"
        aside={<span className="soft">{shown ? formatNumber(shown.length) : ''}</span>}
      />
      <Toolbar>
        <SearchBox
          label="Find a provider"
          value={url.get('search') ?? ''}
          onChange={(text) => url.set({ search: text }, { replace: true })}
        />
        <FilterChip
          label="Auth type"
          options={options((providers.data ?? []).map((one) => one.authMode))}
          selected={splitList(auth)}
          onChange={(values) => url.set({ auth: values.join(',') })}
        />
        <FilterChip
          label="Category"
          options={options((providers.data ?? []).flatMap((one) => one.categories))}
          selected={splitList(category)}
          onChange={(values) => url.set({ category: values.join(',') })}
        />
      </Toolbar>
      <DataTable
        label="Providers"
        columns={COLUMNS}
        source={wholeRows({ ...providers, data: shown })}
        rowKey={(row) => row.name}
        onOpen={(row) => void navigate(paths.newIntegration(env, row.name))}
        describeError={describeError}
        empty={
          <EmptyState
            title="Nothing matches"
            text="A provider that is missing can be described in providers.yaml of the functions folder."
          >
            <Button variant="default" onClick={() => url.set({ search: '', auth: '', category: '' })}>
              Clear filters
            </Button>
          </EmptyState>
        }
      />
    </>
  );
}
