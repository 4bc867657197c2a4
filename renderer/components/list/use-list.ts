import { useState } from 'react';
import { type UrlState, useUrlState } from '../page/use-url-state.ts';
import { NOTHING_SELECTED, type Selection } from '../table/selection.ts';
import type { TableSelection } from '../table/table-props.ts';

/** The filters and the sort order of a list; they are stored in the address. */
export interface ListState<Name extends string = string> {
  /** Names of the filters, with `search` if there is one. */
  names: readonly string[];
  url: UrlState;
  /** Values of the filters; undefined for an unused one. Several values of one are comma-separated. */
  filters: Record<Name, string | undefined>;
  isFiltered: boolean;
  clearFilters: () => void;
  sort: string | undefined;
  setSort: (sort: string) => void;
}

/** `filters` are names of parameters; `sort` is the order when the address has none. */
export function useList<const Name extends string>(options: {
  filters: readonly Name[];
  sort?: string;
}): ListState<Name> {
  const url = useUrlState();
  const filters = Object.fromEntries(
    options.filters.map((name) => [name, url.get(name)]),
  ) as ListState<Name>['filters'];
  return {
    names: options.filters,
    url,
    filters,
    isFiltered: options.filters.some((name) => Boolean(filters[name])),
    clearFilters: () => url.set(Object.fromEntries(options.filters.map((name) => [name, '']))),
    sort: url.get('sort') ?? options.sort,
    setSort: (sort) => url.set({ sort: sort === options.sort ? '' : sort }),
  };
}

/** Selected rows. A change of the filters clears the selection: hidden rows must not be acted on. */
export function useSelection<Row>({ filters }: Pick<ListState, 'filters'>): TableSelection<Row> {
  const shown = JSON.stringify(filters);
  const [selected, setSelected] = useState<{ shown: string; value: Selection<Row> }>({
    shown,
    value: NOTHING_SELECTED,
  });
  return {
    value: selected.shown === shown ? selected.value : NOTHING_SELECTED,
    onChange: (value) => setSelected({ shown, value }),
  };
}
