import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';
import { usePagedRows } from './use-paged-rows.ts';

interface ConnectionFilter {
  search?: string | undefined;
  /** Comma list. */
  integrations?: string | undefined;
  /** Comma list. */
  status?: string | undefined;
  sort?: string | undefined;
}

export function useConnections(filter: ConnectionFilter) {
  const env = useEnv();
  return usePagedRows([...keys.connections(env), 'list', filter], (page, signal) =>
    request('GET /api/v1/connections', { query: { env, ...filter, ...page } as never }, signal),
  );
}
