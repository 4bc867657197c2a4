import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { FilterName } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';

/** The options of a filter with their numbers of rows: the most frequent ones, or the matches of the search. */
export const filterValuesQueryOptions = (env: string, of: FilterName, search: string, integration?: string) =>
  queryOptions({
    queryKey: keys.filterValues(env, of, search, integration),
    queryFn: ({ signal }) => request('GET /api/v1/filter-values', { query: { env, of, search, integration } }, signal),
    select: (answer) => answer.data,
    placeholderData: keepPreviousData,
  });
