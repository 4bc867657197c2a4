import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { paths } from '../../lib/paths.ts';
import type { IntegrationDetail, ProviderChange, TryEntryBody } from '../contract.ts';
import { HOLD, useHeldTakeBack } from '../held-deletion.ts';
import type { RequestInput } from '../request.ts';
import { useSend } from '../use-change.ts';
import { useEnv } from '../use-env.ts';
import { integrationQueryOptions } from './integrations-queries.ts';

export function useCreateIntegration() {
  const send = useSend();
  return useMutation({
    mutationFn: (body: RequestInput<'POST /api/v1/integrations'>['body']) =>
      send('POST /api/v1/integrations', { body }),
  });
}

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
    mutationFn: (body: RequestInput<'PATCH /api/v1/integrations/:integrationKey'>['body']) =>
      send('PATCH /api/v1/integrations/:integrationKey', { params: { integrationKey }, body }, show),
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
        show,
      ),
  });
}

/** Copies an integration into this or another environment. */
export function useDuplicateIntegration(integrationKey: string) {
  const send = useSend();
  return useMutation({
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

export function useRemoveProviderEntry() {
  const send = useSend();
  return useMutation({
    mutationFn: (provider: string) => send('DELETE /api/v1/provider-entries/:provider', { params: { provider } }),
  });
}

/** Adds the valid entries of a file to the workspace, which also approves them. */
export function useImportProviders() {
  const send = useSend();
  return useMutation({
    mutationFn: (body: RequestInput<'POST /api/v1/provider-entries/import'>['body']) =>
      send('POST /api/v1/provider-entries/import', { body }),
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
export function usePractice({ onError }: { onError: (error: unknown) => void }) {
  const send = useSend();
  const env = useEnv();
  const navigate = useNavigate();
  const practice = useMutation({
    mutationFn: () => send('POST /api/v1/practice', {}),
  });
  // Not in the callbacks of `mutate`: the empty state that calls it unmounts as soon as its list has a row.
  const start = async (): Promise<void> => {
    try {
      await navigate(paths.connection(env, await practice.mutateAsync()));
    } catch (error) {
      onError(error);
    }
  };
  return { start: () => void start(), isPending: practice.isPending };
}

/** Prepares an integration for the practice provider's sign-in page, then starts that authorization. */
export function usePracticeAuthorization() {
  const send = useSend();
  return useMutation({
    mutationFn: async (integrationKey?: string) => {
      const ready = await send('POST /api/v1/practice/sign-in', {
        body: integrationKey === undefined ? {} : { integrationKey },
      });
      return send('POST /api/v1/connect-sessions', { body: ready });
    },
  });
}
