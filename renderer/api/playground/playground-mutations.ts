import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ImportedRequestsBody, PlaygroundRequestInput, SavableRequest } from '../contract.ts';
import { useSend } from '../use-change.ts';
import { useEnv } from '../use-env.ts';
import { playgroundRunQueryOptions } from './playground-queries.ts';

/** Starts a run; it continues when the page is closed. */
export function useStartRun() {
  const send = useSend();
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: PlaygroundRequestInput) =>
      send('POST /api/v1/playground/runs', { body }, (run) =>
        client.setQueryData(playgroundRunQueryOptions(env, run.id).queryKey, run),
      ),
  });
}

/** Forgets the runs that have ended. */
export function useClearHistory() {
  const send = useSend();
  return useMutation({
    mutationFn: () => send('DELETE /api/v1/playground/runs', {}),
  });
}

export function useCancelPlaygroundRun(runId: string) {
  const send = useSend();
  return useMutation({ mutationFn: () => send('POST /api/v1/playground/runs/:runId/cancel', { params: { runId } }) });
}

/** Saves an input under a name; replaces one with the same name. */
export function useSaveInput() {
  const send = useSend();
  return useMutation({
    mutationFn: (body: { name: string; request: Extract<PlaygroundRequestInput, { kind: SavableRequest['kind'] }> }) =>
      send('PUT /api/v1/playground/inputs', { body }),
  });
}

/** Saves requests of another program, all or none. */
export function useImportRequests() {
  const send = useSend();
  return useMutation({
    mutationFn: (body: ImportedRequestsBody) => send('POST /api/v1/playground/requests', { body }),
  });
}

export function useDeleteInput() {
  const send = useSend();
  return useMutation({
    mutationFn: (inputId: string) => send('DELETE /api/v1/playground/inputs/:inputId', { params: { inputId } }),
  });
}

/** Writes a run into the functions folder as a fixture. */
export function useSaveFixture(runId: string) {
  const send = useSend();
  return useMutation({
    mutationFn: (overwrites: boolean) =>
      send('POST /api/v1/playground/runs/:runId/fixture', {
        params: { runId },
        body: { overwrites },
      }),
  });
}
