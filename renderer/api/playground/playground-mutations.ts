import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PlaygroundRequestInput } from '../contract.ts';
import { type ChangeNotice, OWN_ERROR, useSend } from '../use-change.ts';
import { useEnv } from '../use-env.ts';
import { playgroundRunQueryOptions } from './playground-queries.ts';

/** Starts a run; it continues when the page is closed. */
export function useStartRun(notice: ChangeNotice = {}) {
  const send = useSend();
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    meta: notice,
    mutationFn: (body: PlaygroundRequestInput) =>
      send(
        'POST /api/v1/playground/runs',
        { body },
        {
          onAnswer: (run) => client.setQueryData(playgroundRunQueryOptions(env, run.id).queryKey, run),
        },
      ),
  });
}

export function useCancelPlaygroundRun(runId: string) {
  const send = useSend();
  return useMutation({ mutationFn: () => send('POST /api/v1/playground/runs/:runId/cancel', { params: { runId } }) });
}

/** Writes a run into the functions folder as a fixture. */
export function useSaveFixture(runId: string) {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (overwrites: boolean) =>
      send('POST /api/v1/playground/runs/:runId/fixture', {
        params: { runId },
        body: { overwrites },
      }),
  });
}
