import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../lib/api-error.ts';
import type { NewDestinationBody, ShownWebhookType } from '../contract.ts';
import { HOLD, useHeldTakeBack } from '../held-deletion.ts';
import { oneByOne } from '../one-by-one.ts';
import { keys } from '../query-keys.ts';
import { type RequestInput, request } from '../request.ts';
import { useEnv } from '../use-env.ts';

export type WebhookToRepeat = RequestInput<'POST /api/v1/webhooks/incoming/:webhookId/replay'>['body'];

/** Processes an incoming webhook again, unchanged or edited. */
export function useRepeatWebhook(webhookId: string) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: WebhookToRepeat) =>
      request('POST /api/v1/webhooks/incoming/:webhookId/replay', { params: { webhookId }, query: { env }, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.incomingWebhooks(env) }),
  });
}

/** Sends an outgoing webhook again, to the same addresses or to another one; resolves to the id of the new one. */
export function useReplayWebhook(webhookId: string) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (url: string | undefined) => {
      const body = url === undefined ? {} : { url };
      const input = { params: { webhookId }, query: { env }, body };
      return (await request('POST /api/v1/webhooks/outgoing/:webhookId/replay', input)).id;
    },
    onSuccess: () => client.invalidateQueries({ queryKey: keys.outgoingWebhooks(env) }),
  });
}

/**
 * Replays several webhooks unchanged, one after the other; resolves to the failure of each, in their order. An incoming
 * one that is not accepted again counts as failed.
 */
export function useReplayWebhooks(direction: 'incoming' | 'outgoing') {
  const env = useEnv();
  const client = useQueryClient();
  const isIncoming = direction === 'incoming';
  const replay = async (webhookId: string): Promise<void> => {
    const input = { params: { webhookId }, query: { env }, body: {} };
    if (!isIncoming) return void (await request('POST /api/v1/webhooks/outgoing/:webhookId/replay', input));
    const { outcome, status } = await request('POST /api/v1/webhooks/incoming/:webhookId/replay', input);
    if (outcome === 'refused' || outcome === 'error')
      throw new ApiError(outcome, `The replay was answered with status ${status}.`, status);
  };
  return useMutation({
    mutationFn: (webhookIds: readonly string[]) => oneByOne(webhookIds, replay),
    onSettled: () =>
      client.invalidateQueries({ queryKey: isIncoming ? keys.incomingWebhooks(env) : keys.outgoingWebhooks(env) }),
  });
}

type FailedFilter = RequestInput<'POST /api/v1/webhooks/outgoing/replay-failed'>['body'];

export function useReplayFailed() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: FailedFilter) =>
      request('POST /api/v1/webhooks/outgoing/replay-failed', { query: { env }, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.outgoingWebhooks(env) }),
  });
}

/** Sends a sample event to the addresses of the environment; resolves to the id of the webhook. */
export function useSendSample() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (type: ShownWebhookType) =>
      (await request('POST /api/v1/webhooks/outgoing/sample', { query: { env }, body: { type } })).id,
    onSuccess: () => client.invalidateQueries({ queryKey: keys.outgoingWebhooks(env) }),
  });
}

export function useCreateDestination() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewDestinationBody) => request('POST /api/v1/webhook-destinations', { query: { env }, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.webhookDestinations(env) }),
  });
}

export function useUpdateDestination(destinationId: string) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Partial<NewDestinationBody>) =>
      request('PATCH /api/v1/webhook-destinations/:destinationId', { params: { destinationId }, query: { env }, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.webhookDestinations(env) }),
  });
}

/** Deletes a destination; resolves to the way back. */
export function useDeleteDestination(destinationId: string) {
  const env = useEnv();
  const client = useQueryClient();
  const takeBackOf = useHeldTakeBack();
  return useMutation({
    mutationFn: async () => {
      const query = { env, ...HOLD };
      const { held } = await request('DELETE /api/v1/webhook-destinations/:destinationId', {
        params: { destinationId },
        query,
      });
      return takeBackOf(held);
    },
    onSuccess: () => client.invalidateQueries({ queryKey: keys.webhookDestinations(env) }),
  });
}

/** Sends a sample event to one destination; resolves to the id of the webhook. */
export function useTestDestination(destinationId: string) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (type: ShownWebhookType) => {
      const input = { params: { destinationId }, query: { env }, body: { type } };
      return (await request('POST /api/v1/webhook-destinations/:destinationId/test', input)).id;
    },
    onSuccess: () => client.invalidateQueries({ queryKey: keys.outgoingWebhooks(env) }),
  });
}
