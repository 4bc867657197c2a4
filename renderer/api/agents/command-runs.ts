import { useMutation } from '@tanstack/react-query';
import { routeQuery, rowsIn } from '../route-query.ts';
import { OWN_ERROR, useSend } from '../use-change.ts';

/** Requests of commands are no events. */
const EVERY_MS = 5_000;

export const commandRunsQueryOptions = (env: string) =>
  routeQuery(env, 'GET /api/v1/command-runs', {}, { select: rowsIn, refetchInterval: EVERY_MS });

export function useStopCommandRun() {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (runId: string) => send('POST /api/v1/command-runs/:runId/stop', { params: { runId } }),
  });
}
