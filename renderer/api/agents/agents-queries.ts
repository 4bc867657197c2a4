import { useMutation } from '@tanstack/react-query';
import type { AgentGrant } from '../contract.ts';
import { routeQuery, rowsIn } from '../route-query.ts';
import { OWN_ERROR, useSend } from '../use-change.ts';

/** Calls and ends of sessions are no events. */
const EVERY_MS = 5_000;

export const agentProgramsQueryOptions = (env: string) =>
  routeQuery(env, 'GET /api/v1/agents/programs', {}, { select: rowsIn });

/** The lines that setting up a program would change, as its file is now. */
export const programChangeQueryOptions = (env: string, program: string | undefined) =>
  routeQuery(
    env,
    'GET /api/v1/agents/programs/:program/change',
    program === undefined ? undefined : { params: { program } },
    { staleTime: 0, gcTime: 0 },
  );

export const agentSessionsQueryOptions = (env: string) =>
  routeQuery(env, 'GET /api/v1/agents/sessions', {}, { select: rowsIn, refetchInterval: EVERY_MS });

/** What a session wrote. */
export const sessionCallsQueryOptions = (env: string, sessionId: string) =>
  routeQuery(
    env,
    'GET /api/v1/agents/sessions/:sessionId/calls',
    { params: { sessionId } },
    { select: rowsIn, refetchInterval: EVERY_MS },
  );

export const agentOffersQueryOptions = (env: string) =>
  routeQuery(env, 'GET /api/v1/agents/offers', {}, { select: rowsIn });

export function useSetUpProgram() {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (program: string) => send('PUT /api/v1/agents/programs/:program', { params: { program } }),
  });
}

export function useRemoveProgram() {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (program: string) => send('DELETE /api/v1/agents/programs/:program', { params: { program } }),
  });
}

/** The answer is the only place that holds the token, and it is never cached. */
export function useMakeSession() {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (body: AgentGrant) => send('POST /api/v1/agents/sessions', { body }),
    gcTime: 0,
  });
}

export function useEndSession() {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (sessionId: string) => send('DELETE /api/v1/agents/sessions/:sessionId', { params: { sessionId } }),
  });
}
