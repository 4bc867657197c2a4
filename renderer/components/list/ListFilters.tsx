import { lazy, type ReactNode, Suspense } from 'react';
import { DENSITY_HEIGHTS } from '../../lib/preferences.ts';
import { splitList } from '../../lib/search-params.ts';
import { readStored } from '../../lib/stored.ts';
import { ProviderLogo } from '../connection/ProviderLogo.tsx';
import { ColumnsMenu } from '../table/ColumnsMenu.tsx';
import type { ColumnLayout } from '../table/use-column-layout.ts';
import { usePreferences } from '../use-preferences.ts';
import { FilterChip, type FilterOption } from './FilterChip.tsx';
import type { SavedView, ViewNotices } from './SavedViews.tsx';
import { SearchBox } from './SearchBox.tsx';
import { Toolbar } from './Toolbar.tsx';
import type { Grouping } from './use-grouping.ts';
import type { ListState } from './use-list.ts';

interface ListFiltersProps<Row> {
  list: ListState<'search'>;
  /** What the search looks at; absent where a query box is above the list. */
  search?: string;
  columns?: ColumnLayout<Row>;
  /** The default row height of the list. */
  rowHeight?: number;
  /** The key under which views of this list are stored. */
  views?: string;
  /** Notifications for saved views, where the list supports them. */
  notices?: ViewNotices | undefined;
  isBelowTabs?: boolean;
  /** Where the list can be grouped. */
  grouping?: Grouping;
  /** Further controls on the right. */
  end?: ReactNode;
  /** The filters of this list. */
  children?: ReactNode;
}

/** Search, filters, saved views and columns above a list. */
export function ListFilters<Row>(props: ListFiltersProps<Row>) {
  const { density } = usePreferences();
  const {
    list,
    search,
    columns,
    rowHeight = DENSITY_HEIGHTS[density],
    views,
    notices,
    end,
    isBelowTabs = false,
    grouping,
    children,
  } = props;
  return (
    <Toolbar
      isBelowTabs={isBelowTabs}
      end={
        <>
          {views !== undefined && <OwnViews list={list} listId={views} notices={notices} />}
          {columns && <ColumnsMenu layout={columns} rowHeight={rowHeight} grouping={grouping} />}
          {end}
        </>
      }
    >
      {search !== undefined && (
        <SearchBox
          label={search}
          value={list.filters.search ?? ''}
          onChange={(text) => list.url.set({ search: text }, { replace: true })}
        />
      )}
      {children}
    </Toolbar>
  );
}

const SavedViews = lazy(async () => ({ default: (await import('./SavedViews.tsx')).SavedViews }));

/** Loaded once there is a view to show, or to save. */
function OwnViews(props: Parameters<typeof SavedViews>[0]) {
  const { list, listId } = props;
  const isUsed = list.isFiltered || list.url.get('sort') !== undefined;
  const isShown = isUsed || readStored<SavedView[]>(`views.${listId}`, []).length > 0;
  return (
    isShown && (
      <Suspense fallback={null}>
        <SavedViews {...props} />
      </Suspense>
    )
  );
}

interface ListFilterProps<Name extends string> {
  list: ListState<Name>;
  name: NoInfer<Name>;
  label: string;
}

interface OwnOptions {
  options: FilterOption[];
}

/** One filter with its options. */
export function ListFilter<Name extends string>({ list, name, label, options }: ListFilterProps<Name> & OwnOptions) {
  return (
    <FilterChip
      label={label}
      options={options}
      selected={splitList(list.filters[name])}
      onChange={(values) => list.url.set({ [name]: values.join(',') })}
    />
  );
}

interface ServedValues {
  data: Array<{ value: string; label: string | null; provider: string | null; count: number }> | undefined;
  search: (text: string) => void;
}

interface ServedFilterProps<Name extends string> extends ListFilterProps<Name> {
  values: ServedValues;
  labelOf?: (value: string) => string;
}

/** One filter whose options come from the server, with the number of rows of each. */
export function ServedFilter<Name extends string>({ list, name, label, values, labelOf }: ServedFilterProps<Name>) {
  const options = (values.data ?? []).map(
    (one): FilterOption => ({
      value: one.value,
      label: one.label ?? labelOf?.(one.value) ?? one.value,
      count: one.count,
      ...(one.provider !== null && { icon: <ProviderLogo provider={one.provider} name={one.label ?? one.value} /> }),
    }),
  );
  return (
    <FilterChip
      label={label}
      options={options}
      selected={splitList(list.filters[name])}
      onChange={(next) => list.url.set({ [name]: next.join(',') })}
      onSearch={values.search}
    />
  );
}
