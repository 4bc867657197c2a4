import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { FilterName } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';

/** What a filter can be set to, with how many rows each has; the most frequent, or those that fit the search. */
export const filterValuesQueryOptions = (env: string, of: FilterName, search: string, integration?: string) =>
  queryOptions({
    queryKey: keys.filterValues(env, of, search, integration),
    queryFn: ({ signal }) => request('GET /api/v1/filter-values', { query: { env, of, search, integration } }, signal),
    select: (answer) => answer.data,
    placeholderData: keepPreviousData,
  });
