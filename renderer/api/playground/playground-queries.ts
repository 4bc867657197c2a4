import { keepPreviousData, queryOptions, skipToken } from '@tanstack/react-query';
import type { FunctionListItem, SavableRequest } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';

const RUNNING_POLL_MS = 500;

/** One run, polled until it ends; undefined: no request. */
export const playgroundRunQueryOptions = (env: string, runId: string | undefined) =>
  queryOptions({
    queryKey: keys.playgroundRun(env, runId),
    queryFn:
      runId === undefined
        ? skipToken
        : ({ signal }) => request('GET /api/v1/playground/runs/:runId', { params: { runId }, query: { env } }, signal),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? RUNNING_POLL_MS : false),
  });

/** A run in the form in which it would be saved as a fixture. */
export const fixturePreviewQueryOptions = (env: string, runId: string) =>
  queryOptions({
    queryKey: keys.playgroundFixture(env, runId),
    queryFn: ({ signal }) =>
      request('GET /api/v1/playground/runs/:runId/fixture', { params: { runId }, query: { env } }, signal),
    // The file may be created or deleted at any time.
    staleTime: 0,
  });

/** Runs of one function or of all, also from before a restart. */
export const playgroundHistoryQueryOptions = (env: string, of: { integration?: string; name?: string }) =>
  queryOptions({
    queryKey: keys.playgroundHistory(env, of),
    queryFn: ({ signal }) => request('GET /api/v1/playground/runs', { query: { env, ...of } }, signal),
    select: (response) => response.data,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.data.some((run) => run.state === 'running') ? RUNNING_POLL_MS : false),
  });

/** Saved inputs of a function, or saved requests; undefined: nothing can be saved. */
export const savedInputsQueryOptions = (
  env: string,
  of: { integration: string; kind: SavableRequest['kind']; name?: string } | undefined,
) =>
  queryOptions({
    queryKey: keys.playgroundInputList(env, of ?? {}),
    queryFn:
      of === undefined
        ? skipToken
        : ({ signal }) => request('GET /api/v1/playground/inputs', { query: { env, ...of } }, signal),
    select: (response) => response.data,
  });

/** Saved requests to all integrations. */
export const savedRequestsQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.playgroundInputList(env, { for: 'requests' }),
    queryFn: ({ signal }) => request('GET /api/v1/playground/requests', { query: { env } }, signal),
    select: (response) => response.data,
  });

const FUNCTIONS = 200;

type ListedFunctionType = FunctionListItem['type'];

/** Functions of one type that an integration has, by name. */
export const runnableFunctionsQueryOptions = (env: string, integrationKey: string, type: ListedFunctionType) =>
  queryOptions({
    queryKey: keys.functionList(env, { integrationKey, type, for: 'playground' }),
    queryFn:
      integrationKey === ''
        ? skipToken
        : ({ signal }) =>
            request(
              'GET /api/v1/functions',
              { query: { env, integrations: integrationKey, types: type, limit: FUNCTIONS } },
              signal,
            ),
    select: (response) => response.data,
  });

const WEBHOOKS = 20;

/** The last webhooks of an integration, to replay one. */
export const replayableWebhooksQueryOptions = (env: string, integrationKey: string) =>
  queryOptions({
    queryKey: keys.incomingWebhookList(env, { integrationKey, for: 'playground' }),
    queryFn:
      integrationKey === ''
        ? skipToken
        : ({ signal }) =>
            request(
              'GET /api/v1/webhooks/incoming',
              { query: { env, integrations: integrationKey, limit: WEBHOOKS } },
              signal,
            ),
    select: (response) => response.data,
  });

const MESSAGES = 200;

/** The first messages of a run, refetched while new ones arrive. */
export const runMessagesQueryOptions = (env: string, operationId: string | null) =>
  queryOptions({
    queryKey: keys.messageList(env, operationId ?? '', { for: 'playground' }),
    queryFn:
      operationId === null
        ? skipToken
        : ({ signal }) =>
            request('GET /api/v1/logs/messages', { query: { env, operationId, limit: MESSAGES } }, signal),
  });
