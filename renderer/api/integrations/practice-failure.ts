import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { PracticeFailureKind } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';

/** No event reports its end. */
const POLL_MS = 2000;

/** The failure that the practice provider simulates; null when it works. */
export const practiceFailureQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.practiceFailure(env),
    queryFn: ({ signal }) => request('GET /api/v1/practice/failure', { query: { env } }, signal),
    select: ({ failure }) => failure,
    refetchInterval: ({ state }) => (state.data?.failure ? POLL_MS : false),
    staleTime: 0,
  });

export function useStartFailure() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { kind: PracticeFailureKind; minutes: 1 | 5 | 15 }) =>
      request('PUT /api/v1/practice/failure', { query: { env }, body }),
    onSuccess: (running) => client.setQueryData(keys.practiceFailure(env), running),
  });
}

export function useEndFailure() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('DELETE /api/v1/practice/failure', { query: { env } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.practiceFailure(env) }),
  });
}
