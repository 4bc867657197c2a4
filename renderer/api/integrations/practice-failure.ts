import { useMutation } from '@tanstack/react-query';
import type { PracticeFailureKind } from '../contract.ts';
import { routeQuery } from '../route-query.ts';
import { useSend } from '../use-change.ts';

/** No event reports its end. */
const POLL_MS = 2000;

/** The failure that the practice provider simulates; null when it works. */
export const practiceFailureQueryOptions = (env: string) =>
  routeQuery(
    env,
    'GET /api/v1/practice/failure',
    {},
    {
      select: ({ failure }) => failure,
      refetchInterval: ({ state }) => (state.data?.failure ? POLL_MS : false),
      staleTime: 0,
    },
  );

export function useStartFailure() {
  const send = useSend();
  return useMutation({
    mutationFn: (body: { kind: PracticeFailureKind; minutes: 1 | 5 | 15 }) =>
      send('PUT /api/v1/practice/failure', { body }),
  });
}

export function useEndFailure() {
  const send = useSend();
  return useMutation({ mutationFn: () => send('DELETE /api/v1/practice/failure', {}) });
}
