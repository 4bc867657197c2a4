import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { describeError } from '../../api/api-error.ts';
import type { ProviderRow } from '../../api/contract.ts';
import { providersQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ListFilter, ListFilters } from '../../components/list/ListFilters.tsx';
import { ListTable } from '../../components/list/ListTable.tsx';
import { useList } from '../../components/list/use-list.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { ProviderLogo } from '../../components/ProviderLogo.tsx';
import { usePage } from '../../components/page-context.ts';
import { Tag } from '../../components/Tag.tsx';
import { type Column, wholeRows } from '../../components/table/columns.ts';
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

/** Names that begin with the search come first, then those that hold it, then other names of a provider. */
function rank(provider: ProviderRow, search: string): number {
  const name = provider.displayName.toLowerCase();
  if (name.startsWith(search)) return 0;
  if (name.includes(search) || provider.name.includes(search)) return 1;
  return provider.searchTerms.some((term) => term.includes(search)) ? 2 : 3;
}

const options = (values: string[]): { value: string; label: string }[] =>
  [...new Set(values)].sort().map((value) => ({ value, label: authModeName(value) }));

const MISSING = 'A provider that is missing can be described in providers.yaml of the functions folder.';

export function ProviderCatalogue() {
  const env = useEnv();
  const list = useList({ filters: ['search', 'auth', 'category'] });
  const providers = useQuery(providersQueryOptions());
  const { auth, category } = list.filters;
  const search = (list.filters.search ?? '').trim().toLowerCase();
  usePage([{ label: 'Integrations', to: paths.integrations(env) }, { label: 'New integration' }]);
  const shown = useMemo(() => {
    const [modes, categories] = [splitList(auth), splitList(category)];
    return providers.data
      ?.filter((one) => rank(one, search) < 3)
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
      <ListFilters list={list} search="Find a provider">
        <ListFilter
          list={list}
          name="auth"
          label="Auth type"
          options={options((providers.data ?? []).map((one) => one.authMode))}
        />
        <ListFilter
          list={list}
          name="category"
          label="Category"
          options={options((providers.data ?? []).flatMap((one) => one.categories))}
        />
      </ListFilters>
      <ListTable
        list={list}
        label="Providers"
        columns={COLUMNS}
        rows={wholeRows({ ...providers, data: shown })}
        rowKey={(row) => row.name}
        rowPath={(row) => paths.newIntegration(env, row.name)}
        describeError={describeError}
        nothingFits={MISSING}
        nothing={<EmptyState title="No providers" text={MISSING} />}
      />
    </>
  );
}
