import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';
import { usePagedRows } from './use-paged-rows.ts';

interface FunctionFilter {
  search?: string | undefined;
  integrations?: string | undefined;
  types?: string | undefined;
  status?: string | undefined;
  sort?: string | undefined;
}

export function useFunctions(filter: FunctionFilter) {
  const env = useEnv();
  return usePagedRows([...keys.functions(env), 'list', filter], (page, signal) =>
    request('GET /api/v1/functions', { query: { env, ...filter, ...page } as never }, signal),
  );
}
