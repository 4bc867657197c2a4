import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ImportedRequestsBody, PlaygroundRequestInput, SavableRequest } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';

/** Starts a run; it continues when the page is closed. */
export function useStartRun() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: PlaygroundRequestInput) => request('POST /api/v1/playground/runs', { query: { env }, body }),
    onSuccess: (run) => {
      client.setQueryData(keys.playgroundRun(env, run.id), run);
      return client.invalidateQueries({ queryKey: keys.playgroundHistories(env) });
    },
  });
}

/** Forgets the runs that have ended. */
export function useClearHistory() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('DELETE /api/v1/playground/runs', { query: { env } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.playgroundHistories(env) }),
  });
}

export function useCancelPlaygroundRun(runId: string) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('POST /api/v1/playground/runs/:runId/cancel', { params: { runId }, query: { env } }),
    onSuccess: (run) => client.setQueryData(keys.playgroundRun(env, run.id), run),
  });
}

/** Saves an input under a name; replaces one with the same name. */
export function useSaveInput() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; request: Extract<PlaygroundRequestInput, { kind: SavableRequest['kind'] }> }) =>
      request('PUT /api/v1/playground/inputs', { query: { env }, body }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.playgroundInputs(env) }),
  });
}

/** Saves requests of another program, all or none. */
export function useImportRequests() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ImportedRequestsBody) => request('POST /api/v1/playground/requests', { query: { env }, body }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.playgroundInputs(env) }),
  });
}

export function useDeleteInput() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (inputId: string) =>
      request('DELETE /api/v1/playground/inputs/:inputId', { params: { inputId }, query: { env } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.playgroundInputs(env) }),
  });
}

/** Writes a run into the functions folder as a fixture. */
export function useSaveFixture(runId: string) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (overwrites: boolean) =>
      request('POST /api/v1/playground/runs/:runId/fixture', {
        params: { runId },
        query: { env },
        body: { overwrites },
      }),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.functions(env) }),
        client.invalidateQueries({ queryKey: keys.playgroundFixture(env, runId) }),
      ]),
  });
}
