import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';
import { usePinnedRows } from './use-pinned-rows.ts';

/** Lists are comma lists, as in the address. */
export interface IncomingFilter {
  search?: string | undefined;
  outcomes?: string | undefined;
  integrations?: string | undefined;
  connections?: string | undefined;
  period?: string | undefined;
  sort?: string | undefined;
}

/** Webhooks of providers, fresh while they come. */
export function useIncomingWebhooks(filter: IncomingFilter) {
  const env = useEnv();
  return usePinnedRows(
    [...keys.incomingWebhooks(env), filter],
    (page, signal) => request('GET /api/v1/webhooks/incoming', { query: { env, ...filter, ...page } as never }, signal),
    'incoming',
  );
}
