import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FilterName, FilterValue } from '../contract.ts';
import { routeQuery, rowsIn } from '../route-query.ts';
import { useEnv } from '../use-env.ts';

export interface FilterValues {
  /** Undefined until the first response. */
  data: FilterValue[] | undefined;
  /** Searches the options; an empty text gives the most frequent ones. */
  search: (text: string) => void;
}

/**
 * The options of a filter, from the server; with an integration only those of its rows. Fetched when the menu opens, or
 * at once while the filter is in use.
 */
export function useFilterValues(of: FilterName, isUsed: boolean, integrationKey?: string): FilterValues {
  const env = useEnv();
  const [text, setText] = useState<string>();
  const { data } = useQuery({
    ...filterValuesQueryOptions(env, of, text ?? '', integrationKey),
    enabled: isUsed || text !== undefined,
  });
  return { data, search: setText };
}

/** The options of a filter with their numbers of rows: the most frequent ones, or the matches of the search. */
const filterValuesQueryOptions = (env: string, of: FilterName, search: string, integration?: string) =>
  routeQuery(
    env,
    'GET /api/v1/filter-values',
    { query: { of, search, integration } },
    { select: rowsIn, placeholderData: keepPreviousData },
  );
