import { keepPreviousData, queryOptions, skipToken } from '@tanstack/react-query';
import type { EventStream } from '../events/event-stream.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';
import { usePinnedRows } from '../use-pinned-rows.ts';

const waitingFor = (direction: 'incoming' | 'outgoing') => ({
  rowKey: (row: { id: string }) => row.id,
  onNew: (stream: EventStream, notify: (id: string) => void) =>
    stream.on('webhook', (changed) => changed.direction === direction && notify(changed.id)),
});
const WAITING = { incoming: waitingFor('incoming'), outgoing: waitingFor('outgoing') };

/** Lists are comma-separated, as in the address. */
interface IncomingFilter {
  search?: string | undefined;
  outcomes?: string | undefined;
  integrations?: string | undefined;
  connections?: string | undefined;
  period?: string | undefined;
  sort?: string | undefined;
}

/** Webhooks from providers, refetched as new ones arrive. */
export function useIncomingWebhooks(filter: IncomingFilter) {
  const env = useEnv();
  return usePinnedRows(
    keys.incomingWebhookList(env, filter),
    (page, signal) => request('GET /api/v1/webhooks/incoming', { query: { env, ...filter, ...page } }, signal),
    { waiting: WAITING.incoming },
  );
}

export const incomingWebhookQueryOptions = (env: string, webhookId: string) =>
  queryOptions({
    queryKey: keys.incomingWebhook(env, webhookId),
    queryFn: ({ signal }) =>
      request('GET /api/v1/webhooks/incoming/:webhookId', { params: { webhookId }, query: { env } }, signal),
  });

/** Lists are comma-separated, as in the address. */
export interface OutgoingFilter {
  search?: string | undefined;
  states?: string | undefined;
  types?: string | undefined;
  integrations?: string | undefined;
  connections?: string | undefined;
  sort?: string | undefined;
}

/** Webhooks to the user's app, refetched as they are sent. */
export function useOutgoingWebhooks(filter: OutgoingFilter) {
  const env = useEnv();
  return usePinnedRows(
    keys.outgoingWebhookList(env, filter),
    (page, signal) => request('GET /api/v1/webhooks/outgoing', { query: { env, ...filter, ...page } }, signal),
    { waiting: WAITING.outgoing },
  );
}

/** The number of failed webhooks within the other filters. */
export const failedWebhookCountQueryOptions = (env: string, { states: _, sort: __, ...filter }: OutgoingFilter) =>
  queryOptions({
    queryKey: keys.failedWebhookCount(env, filter),
    queryFn: ({ signal }) =>
      request('GET /api/v1/webhooks/outgoing', { query: { env, ...filter, states: 'failed', limit: 1 } }, signal),
    select: ({ total }) => total,
    placeholderData: keepPreviousData,
  });

/** The destinations beside the primary and the secondary URL. */
export const webhookDestinationsQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.webhookDestinations(env),
    queryFn: ({ signal }) => request('GET /api/v1/webhook-destinations', { query: { env } }, signal),
    select: (response) => response.data,
  });

/** Undefined: no request. */
export const outgoingWebhookQueryOptions = (env: string, webhookId: string | undefined) =>
  queryOptions({
    queryKey: keys.outgoingWebhook(env, webhookId),
    queryFn:
      webhookId === undefined
        ? skipToken
        : ({ signal }) =>
            request('GET /api/v1/webhooks/outgoing/:webhookId', { params: { webhookId }, query: { env } }, signal),
  });
