import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';
import { usePagedRows } from './use-paged-rows.ts';

interface IntegrationFilter {
  search?: string | undefined;
  authModes?: string | undefined;
  sort?: string | undefined;
}

export function useIntegrations(filter: IntegrationFilter) {
  const env = useEnv();
  return usePagedRows([...keys.integrations(env), 'list', filter], (page, signal) =>
    request('GET /api/v1/integrations', { query: { env, ...filter, ...page } as never }, signal),
  );
}
