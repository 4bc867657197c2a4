import { useMutation } from '@tanstack/react-query';
import type { AgentGrant } from '../contract.ts';
import { request } from '../request.ts';
import { routeQuery } from '../route-query.ts';
import { OWN_ERROR } from '../use-change.ts';

/** A program that waits for a person, and what the environment has to give. Its life is short, so it is asked for once. */
export const agentSignInQueryOptions = (env: string, requestId: string) =>
  routeQuery(
    env,
    'GET /api/v1/agent-sign-ins/:requestId',
    { params: { requestId } },
    { staleTime: Number.POSITIVE_INFINITY, retry: false },
  );

/** Both answers resolve to the address of the program, to which the page goes. */
export function useAnswerSignIn(env: string, requestId: string) {
  const params = { requestId };
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (grant: AgentGrant | 'deny') =>
      grant === 'deny'
        ? request('POST /api/v1/agent-sign-ins/:requestId/deny', { params })
        : request('POST /api/v1/agent-sign-ins/:requestId/approve', { params, query: { env }, body: grant }),
    onSuccess: ({ redirectUrl }) => location.assign(redirectUrl),
  });
}
