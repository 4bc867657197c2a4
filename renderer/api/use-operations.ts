import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';
import { usePagedRows } from './use-paged-rows.ts';

/** Lists are comma lists, as in the address. */
export interface OperationFilter {
  search?: string | undefined;
  states?: string | undefined;
  types?: string | undefined;
  integrations?: string | undefined;
  connections?: string | undefined;
  syncs?: string | undefined;
  period?: string | undefined;
  sort?: string | undefined;
}

export function useOperations(filter: OperationFilter) {
  const env = useEnv();
  return usePagedRows([...keys.operations(env), filter], (page, signal) =>
    request('GET /api/v1/logs/operations', { query: { env, ...filter, ...page } as never }, signal),
  );
}
