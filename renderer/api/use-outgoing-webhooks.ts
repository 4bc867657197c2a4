import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';
import { usePinnedRows } from './use-pinned-rows.ts';

/** Lists are comma lists, as in the address. */
export interface OutgoingFilter {
  search?: string | undefined;
  states?: string | undefined;
  types?: string | undefined;
  integrations?: string | undefined;
  connections?: string | undefined;
  sort?: string | undefined;
}

/** Webhooks to the caller's application, fresh while they go out. */
export function useOutgoingWebhooks(filter: OutgoingFilter) {
  const env = useEnv();
  return usePinnedRows(
    [...keys.outgoingWebhooks(env), filter],
    (page, signal) => request('GET /api/v1/webhooks/outgoing', { query: { env, ...filter, ...page } as never }, signal),
    'outgoing',
  );
}
