import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';
import { usePagedRows } from './use-paged-rows.ts';

export interface MessageFilter {
  search?: string | undefined;
  /** Comma lists. */
  levels?: string | undefined;
  types?: string | undefined;
  sources?: string | undefined;
}

export function useMessages(operationId: string, filter: MessageFilter) {
  const env = useEnv();
  return usePagedRows([...keys.operation(env, operationId), 'messages', filter], (page, signal) =>
    request('GET /api/v1/logs/messages', { query: { env, operationId, ...filter, ...page } as never }, signal),
  );
}
