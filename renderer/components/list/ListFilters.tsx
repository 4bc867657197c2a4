import type { ComponentProps, ReactNode } from 'react';
import { splitList } from '../../lib/search-params.ts';
import { ProviderLogo } from '../ProviderLogo.tsx';
import { ColumnsMenu } from '../table/ColumnsMenu.tsx';
import type { ColumnChoice } from '../table/use-columns.ts';
import { FilterChip } from './FilterChip.tsx';
import { SearchBox } from './SearchBox.tsx';
import { Toolbar } from './Toolbar.tsx';
import type { ListState } from './use-list.ts';

interface ListFiltersProps<Row> {
  list: ListState<'search'>;
  /** What the search looks at. */
  search: string;
  columns?: ColumnChoice<Row>;
  /** More on the right. */
  end?: ReactNode;
  /** The filters of this list. */
  children?: ReactNode;
}

/** Search, filters and columns above a list. */
export function ListFilters<Row>({ list, search, columns, end, children }: ListFiltersProps<Row>) {
  return (
    <Toolbar end={end ?? (columns && <ColumnsMenu choice={columns} />)}>
      <SearchBox
        label={search}
        value={list.filters.search ?? ''}
        onChange={(text) => list.url.set({ search: text }, { replace: true })}
      />
      {children}
    </Toolbar>
  );
}

interface ListFilterProps<Name extends string> {
  list: ListState<Name>;
  name: NoInfer<Name>;
  label: string;
}

type Options = Pick<ComponentProps<typeof FilterChip>, 'options'>;

/** One filter with its choices. */
export function ListFilter<Name extends string>({ list, name, label, options }: ListFilterProps<Name> & Options) {
  return (
    <FilterChip
      label={label}
      options={options}
      selected={splitList(list.filters[name])}
      onChange={(values) => list.url.set({ [name]: values.join(',') })}
    />
  );
}

/** A filter that links set and nobody chooses from a list: shown while it has values. */
export function GivenFilter<Name extends string>({ list, name, label }: ListFilterProps<Name>) {
  const values = splitList(list.filters[name]);
  if (values.length === 0) return null;
  return (
    <ListFilter list={list} name={name} label={label} options={values.map((value) => ({ value, label: value }))} />
  );
}

interface IntegrationFilterProps {
  list: ListState<'integrations'>;
  integrations: ReadonlyArray<{ key: string; displayName: string; provider: string }>;
}

export function IntegrationFilter({ list, integrations }: IntegrationFilterProps) {
  const options = integrations.map((one) => ({
    value: one.key,
    label: one.displayName,
    icon: <ProviderLogo provider={one.provider} name={one.displayName} />,
  }));
  return <ListFilter list={list} name="integrations" label="Integration" options={options} />;
}
