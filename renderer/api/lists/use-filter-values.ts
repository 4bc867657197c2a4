import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FilterName, FilterValue } from '../contract.ts';
import { useEnv } from '../use-env.ts';
import { filterValuesQueryOptions } from './filter-queries.ts';

export interface FilterValues {
  /** Undefined until the first answer. */
  data: FilterValue[] | undefined;
  /** Asks for those that fit the text; an empty one for the most frequent. */
  search: (text: string) => void;
}

/** The values a filter can have, from the server; with an integration those of its rows. Nothing is asked before somebody looks, unless the filter is in use. */
export function useFilterValues(of: FilterName, isUsed: boolean, integrationKey?: string): FilterValues {
  const env = useEnv();
  const [text, setText] = useState<string>();
  const { data } = useQuery({
    ...filterValuesQueryOptions(env, of, text ?? '', integrationKey),
    enabled: isUsed || text !== undefined,
  });
  return { data, search: setText };
}
