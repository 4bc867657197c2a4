import { useMutation } from '@tanstack/react-query';
import { ApiError } from '../../lib/api-error.ts';
import type { NewDestinationBody, ShownWebhookType } from '../contract.ts';
import { HOLD, useHeldTakeBack } from '../held-deletion.ts';
import { oneByOne } from '../one-by-one.ts';
import type { RequestInput } from '../request.ts';
import { type ChangeNotice, OWN_ERROR, useSend, useSendMany } from '../use-change.ts';

export type WebhookToRepeat = RequestInput<'POST /api/v1/webhooks/incoming/:webhookId/replay'>['body'];

/** Processes an incoming webhook again, unchanged or edited. */
export function useRepeatWebhook(webhookId: string, notice: ChangeNotice = {}) {
  const send = useSend();
  return useMutation({
    meta: notice,
    mutationFn: (body: WebhookToRepeat) =>
      send('POST /api/v1/webhooks/incoming/:webhookId/replay', { params: { webhookId }, body }),
  });
}

/** Sends an outgoing webhook again, to the same addresses or to another one; resolves to the id of the new one. */
export function useReplayWebhook(webhookId: string, notice: ChangeNotice = {}) {
  const send = useSend();
  return useMutation({
    meta: notice,
    mutationFn: async (url: string | undefined) => {
      const body = url === undefined ? {} : { url };
      const input = { params: { webhookId }, body };
      return (await send('POST /api/v1/webhooks/outgoing/:webhookId/replay', input)).id;
    },
  });
}

/**
 * Replays several webhooks unchanged, one after the other; resolves to the failure of each, in their order. An incoming
 * one that is not accepted again counts as failed.
 */
export function useReplayWebhooks(direction: 'incoming' | 'outgoing') {
  const incoming = useSendMany('POST /api/v1/webhooks/incoming/:webhookId/replay');
  const outgoing = useSendMany('POST /api/v1/webhooks/outgoing/:webhookId/replay');
  const isIncoming = direction === 'incoming';
  const replay = async (webhookId: string): Promise<void> => {
    const input = { params: { webhookId }, body: {} };
    if (!isIncoming) return void (await outgoing.send(input));
    const { outcome, status } = await incoming.send(input);
    if (outcome === 'refused' || outcome === 'error')
      throw new ApiError(outcome, `The replay was answered with status ${status}.`, status);
  };
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (webhookIds: readonly string[]) => oneByOne(webhookIds, replay),
    onSettled: (isIncoming ? incoming : outgoing).finish,
  });
}

/** Sends a sample event to the addresses of the environment; resolves to the id of the webhook. */
export function useSendSample() {
  const send = useSend();
  return useMutation({
    mutationFn: async (type: ShownWebhookType) =>
      (await send('POST /api/v1/webhooks/outgoing/sample', { body: { type } })).id,
  });
}

export function useUpdateDestination(destinationId: string, notice: ChangeNotice = {}) {
  const send = useSend();
  return useMutation({
    meta: notice,
    mutationFn: (body: Partial<NewDestinationBody>) =>
      send('PATCH /api/v1/webhook-destinations/:destinationId', { params: { destinationId }, body }),
  });
}

/** Deletes a destination; resolves to the way back. */
export function useDeleteDestination(destinationId: string) {
  const send = useSend();
  const takeBackOf = useHeldTakeBack();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: async () => {
      const input = { params: { destinationId }, query: HOLD };
      return takeBackOf((await send('DELETE /api/v1/webhook-destinations/:destinationId', input)).held);
    },
  });
}

/** Sends a sample event to one destination; resolves to the id of the webhook. */
export function useTestDestination(destinationId: string) {
  const send = useSend();
  return useMutation({
    mutationFn: async (type: ShownWebhookType) => {
      const input = { params: { destinationId }, body: { type } };
      return (await send('POST /api/v1/webhook-destinations/:destinationId/test', input)).id;
    },
  });
}
