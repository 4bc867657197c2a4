import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { paths } from '../../lib/paths.ts';
import type { IntegrationDetail, ProviderChange, TryEntryBody } from '../contract.ts';
import { HOLD, useHeldTakeBack } from '../held-deletion.ts';
import type { RequestInput } from '../request.ts';
import { OWN_ERROR, useChange, useSend } from '../use-change.ts';
import { useEnv } from '../use-env.ts';
import { integrationQueryOptions } from './integrations-queries.ts';

/** Shows an integration as it was saved, at once also under a new key. */
function useShowIntegration() {
  const env = useEnv();
  const client = useQueryClient();
  return (saved: IntegrationDetail) => client.setQueryData(integrationQueryOptions(env, saved.key).queryKey, saved);
}

export function useUpdateIntegration(integrationKey: string) {
  const send = useSend();
  const show = useShowIntegration();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (body: RequestInput<'PATCH /api/v1/integrations/:integrationKey'>['body']) =>
      send('PATCH /api/v1/integrations/:integrationKey', { params: { integrationKey }, body }, { onAnswer: show }),
  });
}

export function useUndoIntegrationChange(integrationKey: string) {
  const send = useSend();
  const show = useShowIntegration();
  return useMutation({
    mutationFn: (changeId: number) =>
      send(
        'POST /api/v1/integrations/:integrationKey/changes/:changeId/undo',
        { params: { integrationKey, changeId } },
        { onAnswer: show },
      ),
  });
}

/** Copies an integration into this or another environment. */
export function useDuplicateIntegration(integrationKey: string) {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (body: RequestInput<'POST /api/v1/integrations/:integrationKey/duplicate'>['body']) =>
      send('POST /api/v1/integrations/:integrationKey/duplicate', {
        params: { integrationKey },
        body,
      }),
  });
}

/** Deletes an integration; resolves to the way back. */
export function useDeleteIntegration() {
  const send = useSend();
  const takeBackOf = useHeldTakeBack();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: async (integrationKey: string) => {
      const input = { params: { integrationKey }, query: HOLD };
      return takeBackOf((await send('DELETE /api/v1/integrations/:integrationKey', input)).held);
    },
  });
}

/** Approves the changes of providers.yaml to a provider. Integrations of every environment show it. */
export function useApproveProvider() {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: ({ provider, hash }: Pick<ProviderChange, 'provider' | 'hash'>) =>
      send('POST /api/v1/providers/:provider/approve', { params: { provider }, body: { hash } }),
  });
}

/** Saves a workspace entry, which also approves it. */
export function useSaveProviderEntry() {
  const send = useSend();
  return useMutation({
    mutationFn: ({ provider, text }: { provider: string; text: string }) =>
      send('PUT /api/v1/provider-entries/:provider', { params: { provider }, body: { text } }),
  });
}

/** Sends one request with the definition of an unsaved entry. */
export function useTryProviderEntry() {
  const send = useSend();
  return useMutation({
    mutationFn: (body: TryEntryBody) => send('POST /api/v1/provider-entries/try', { body }),
    gcTime: 0,
  });
}

/** Sets up the practice provider with one connection and opens that connection. */
export function usePractice() {
  const env = useEnv();
  const navigate = useNavigate();
  // Not in the callbacks of `mutate`: the empty state that calls it unmounts as soon as its list has a row.
  const { mutate, isPending } = useChange('POST /api/v1/practice', {
    onSuccess: (ref) => navigate(paths.connection(env, ref)),
  });
  return { start: () => mutate(), isPending };
}

/** Prepares an integration for the practice provider's sign-in page, then starts that authorization. */
export function usePracticeAuthorization() {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: async (integrationKey?: string) => {
      const ready = await send('POST /api/v1/practice/sign-in', {
        body: integrationKey === undefined ? {} : { integrationKey },
      });
      return send('POST /api/v1/connect-sessions', { body: ready });
    },
  });
}
