import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';
import { usePinnedRows } from '../use-pinned-rows.ts';

interface IntegrationFilter {
  search?: string | undefined;
  authModes?: string | undefined;
  categories?: string | undefined;
  having?: string | undefined;
  sort?: string | undefined;
}

export function useIntegrations(filter: IntegrationFilter) {
  const env = useEnv();
  return usePinnedRows(keys.integrationList(env, filter), (page, signal) =>
    request('GET /api/v1/integrations', { query: { env, ...filter, ...page } }, signal),
  );
}
