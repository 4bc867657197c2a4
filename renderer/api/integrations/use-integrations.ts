import { type ListQuery, routePages } from '../route-query.ts';
import { useEnv } from '../use-env.ts';
import { usePinnedRows } from '../use-pinned-rows.ts';

export const useIntegrations = (query: ListQuery<'GET /api/v1/integrations'>) =>
  usePinnedRows(...routePages(useEnv(), 'GET /api/v1/integrations', { query }));
