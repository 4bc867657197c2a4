import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { paths } from '../../lib/paths.ts';
import type { ProviderChange, TryEntryBody } from '../contract.ts';
import { HOLD, useHeldTakeBack } from '../held-deletion.ts';
import { keys } from '../query-keys.ts';
import { type RequestInput, request } from '../request.ts';
import { useEnv } from '../use-env.ts';

export function useCreateIntegration() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestInput<'POST /api/v1/integrations'>['body']) =>
      request('POST /api/v1/integrations', { query: { env }, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.integrations(env) }),
  });
}

export function useUpdateIntegration(integrationKey: string) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestInput<'PATCH /api/v1/integrations/:integrationKey'>['body']) =>
      request('PATCH /api/v1/integrations/:integrationKey', { params: { integrationKey }, query: { env }, body }),
    onSuccess: (saved) => {
      client.setQueryData(keys.integration(env, saved.key), saved);
      return client.invalidateQueries({ queryKey: keys.integrations(env) });
    },
  });
}

export function useUndoIntegrationChange(integrationKey: string) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (changeId: number) =>
      request('POST /api/v1/integrations/:integrationKey/changes/:changeId/undo', {
        params: { integrationKey, changeId },
        query: { env },
      }),
    onSuccess: (saved) => {
      client.setQueryData(keys.integration(env, saved.key), saved);
      return client.invalidateQueries({ queryKey: keys.integrations(env) });
    },
    // Another change came first: the refetched list shows what can still be undone.
    onError: () => client.invalidateQueries({ queryKey: keys.integrationChanges(env, integrationKey) }),
  });
}

/** Copies an integration into this or another environment. */
export function useDuplicateIntegration(integrationKey: string) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestInput<'POST /api/v1/integrations/:integrationKey/duplicate'>['body']) =>
      request('POST /api/v1/integrations/:integrationKey/duplicate', {
        params: { integrationKey },
        query: { env },
        body,
      }),
    onSuccess: (_, { environment }) => client.invalidateQueries({ queryKey: keys.integrations(environment) }),
  });
}

/** Deletes an integration; resolves to the way back. */
export function useDeleteIntegration() {
  const env = useEnv();
  const client = useQueryClient();
  const takeBackOf = useHeldTakeBack();
  return useMutation({
    mutationFn: async (integrationKey: string) => {
      const query = { env, ...HOLD };
      const { held } = await request('DELETE /api/v1/integrations/:integrationKey', {
        params: { integrationKey },
        query,
      });
      return takeBackOf(held);
    },
    onSuccess: async (_, integrationKey) => {
      client.removeQueries({ queryKey: keys.integration(env, integrationKey) });
      await client.invalidateQueries({ queryKey: keys.environment(env) });
    },
  });
}

/** Approves the changes of providers.yaml to a provider. Integrations of every environment show it. */
export function useApproveProvider() {
  const client = useQueryClient();
  const env = useEnv();
  return useMutation({
    mutationFn: ({ provider, hash }: Pick<ProviderChange, 'provider' | 'hash'>) =>
      request('POST /api/v1/providers/:provider/approve', { params: { provider }, body: { hash } }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.providers }),
        client.invalidateQueries({ queryKey: keys.integrations(env) }),
      ]),
  });
}

/** Saves a workspace entry, which also approves it. */
export function useSaveProviderEntry() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ provider, text }: { provider: string; text: string }) =>
      request('PUT /api/v1/provider-entries/:provider', { params: { provider }, body: { text } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.providers }),
  });
}

export function useRemoveProviderEntry() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (provider: string) => request('DELETE /api/v1/provider-entries/:provider', { params: { provider } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.providers }),
  });
}

/** Adds the valid entries of a file to the workspace, which also approves them. */
export function useImportProviders() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestInput<'POST /api/v1/provider-entries/import'>['body']) =>
      request('POST /api/v1/provider-entries/import', { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.providers }),
  });
}

/** Sends one request with the definition of an unsaved entry. */
export function useTryProviderEntry() {
  return useMutation({
    mutationFn: (body: TryEntryBody) => request('POST /api/v1/provider-entries/try', { body }),
    gcTime: 0,
  });
}

/** Sets up the practice provider with one connection and opens that connection. */
export function usePractice({ onError }: { onError: (error: unknown) => void }) {
  const env = useEnv();
  const client = useQueryClient();
  const navigate = useNavigate();
  const practice = useMutation({
    mutationFn: () => request('POST /api/v1/practice', { query: { env } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.environment(env) }),
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
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (integrationKey?: string) => {
      const ready = await request('POST /api/v1/practice/sign-in', {
        query: { env },
        body: integrationKey === undefined ? {} : { integrationKey },
      });
      void client.invalidateQueries({ queryKey: keys.integrations(env) });
      return request('POST /api/v1/connect-sessions', { query: { env }, body: ready });
    },
  });
}
