import { keepPreviousData } from '@tanstack/react-query';
import type { FunctionListItem, SavableRequest } from '../contract.ts';
import { routeQuery, rowsIn } from '../route-query.ts';

const RUNNING_POLL_MS = 500;

/** One run, polled until it ends; undefined: no request. */
export const playgroundRunQueryOptions = (env: string, runId: string | undefined) =>
  routeQuery(env, 'GET /api/v1/playground/runs/:runId', runId === undefined ? undefined : { params: { runId } }, {
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? RUNNING_POLL_MS : false),
  });

/** A run in the form in which it would be saved as a fixture. The file may be created or deleted at any time. */
export const fixturePreviewQueryOptions = (env: string, runId: string) =>
  routeQuery(env, 'GET /api/v1/playground/runs/:runId/fixture', { params: { runId } }, { staleTime: 0 });

/** Runs of one function or of all, also from before a restart. */
export const playgroundHistoryQueryOptions = (env: string, query: { integration?: string; name?: string }) =>
  routeQuery(
    env,
    'GET /api/v1/playground/runs',
    { query },
    {
      select: rowsIn,
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) =>
        state.data?.data.some((run) => run.state === 'running') ? RUNNING_POLL_MS : false,
    },
  );

/** Saved inputs of a function, or saved requests; undefined: nothing can be saved. */
export const savedInputsQueryOptions = (
  env: string,
  of: { integration: string; kind: SavableRequest['kind']; name?: string } | undefined,
) => routeQuery(env, 'GET /api/v1/playground/inputs', of && { query: of }, { select: rowsIn });

/** Saved requests to all integrations. */
export const savedRequestsQueryOptions = (env: string) =>
  routeQuery(env, 'GET /api/v1/playground/requests', {}, { select: rowsIn });

const FUNCTIONS = 200;

/** Functions of one type that an integration has, by name. */
export const runnableFunctionsQueryOptions = (env: string, integrations: string, types: FunctionListItem['type']) =>
  routeQuery(
    env,
    'GET /api/v1/functions',
    integrations === '' ? undefined : { query: { integrations, types, limit: FUNCTIONS } },
    { select: rowsIn },
  );

const WEBHOOKS = 20;

/** The last webhooks of an integration, to replay one. */
export const replayableWebhooksQueryOptions = (env: string, integrations: string) =>
  routeQuery(
    env,
    'GET /api/v1/webhooks/incoming',
    integrations === '' ? undefined : { query: { integrations, limit: WEBHOOKS } },
    { select: rowsIn },
  );

const MESSAGES = 200;

/** The first messages of a run, refetched while new ones arrive. */
export const runMessagesQueryOptions = (env: string, operationId: string | null) =>
  routeQuery(
    env,
    'GET /api/v1/logs/messages',
    operationId === null ? undefined : { query: { operationId, limit: MESSAGES } },
  );
