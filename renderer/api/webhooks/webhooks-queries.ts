import { keepPreviousData } from '@tanstack/react-query';
import type { EventStream } from '../events/event-stream.ts';
import { type ListQuery, routePages, routeQuery, rowsIn } from '../route-query.ts';
import { useEnv } from '../use-env.ts';
import { usePinnedRows } from '../use-pinned-rows.ts';

const waitingFor = (direction: 'incoming' | 'outgoing') => ({
  rowKey: (row: { id: string }) => row.id,
  onNew: (stream: EventStream, notify: (id: string) => void) =>
    stream.on('webhook', (changed) => changed.direction === direction && notify(changed.id)),
});
const WAITING = { incoming: waitingFor('incoming'), outgoing: waitingFor('outgoing') };

/** Webhooks from providers, refetched as new ones arrive. */
export const useIncomingWebhooks = (query: ListQuery<'GET /api/v1/webhooks/incoming'>) =>
  usePinnedRows(...routePages(useEnv(), 'GET /api/v1/webhooks/incoming', { query }), { waiting: WAITING.incoming });

export const incomingWebhookQueryOptions = (env: string, webhookId: string) =>
  routeQuery(env, 'GET /api/v1/webhooks/incoming/:webhookId', { params: { webhookId } });

/** Lists are comma-separated, as in the address. */
export type OutgoingFilter = ListQuery<'GET /api/v1/webhooks/outgoing'>;

/** Webhooks to the user's app, refetched as they are sent. */
export const useOutgoingWebhooks = (query: OutgoingFilter) =>
  usePinnedRows(...routePages(useEnv(), 'GET /api/v1/webhooks/outgoing', { query }), { waiting: WAITING.outgoing });

/** The number of failed webhooks within the other filters. */
export const failedWebhookCountQueryOptions = (env: string, { states: _, sort: __, ...filter }: OutgoingFilter) =>
  routeQuery(
    env,
    'GET /api/v1/webhooks/outgoing',
    { query: { ...filter, states: 'failed', limit: 1, count: 'exact' } },
    { select: ({ total }) => total, placeholderData: keepPreviousData },
  );

/** The destinations beside the primary and the secondary URL. */
export const webhookDestinationsQueryOptions = (env: string) =>
  routeQuery(env, 'GET /api/v1/webhook-destinations', {}, { select: rowsIn });

/** Undefined: no request. */
export const outgoingWebhookQueryOptions = (env: string, webhookId: string | undefined) =>
  routeQuery(
    env,
    'GET /api/v1/webhooks/outgoing/:webhookId',
    webhookId === undefined ? undefined : { params: { webhookId } },
  );
