import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import type { FunctionRef } from './functions-queries.ts';

/** The file that a new function starts with; the last one stays while the name is typed. */
export const functionDraftQueryOptions = (env: string, { integrationKey, type, name }: FunctionRef) =>
  queryOptions({
    queryKey: keys.functionDraft(env, { integrationKey, type, name }),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/integrations/:integrationKey/function-draft',
        { params: { integrationKey }, query: { env, type, name } },
        signal,
      ),
    enabled: integrationKey !== '' && name !== '',
    placeholderData: keepPreviousData,
    // The file may be created or deleted at any time.
    staleTime: 0,
  });

/** What an agent needs to know to write a new function. */
export const functionPromptQueryOptions = (env: string, { integrationKey, type, name }: FunctionRef) =>
  queryOptions({
    queryKey: keys.functionPrompt(env, { integrationKey, type, name }),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/integrations/:integrationKey/function-prompt',
        { params: { integrationKey }, query: { env, type, name } },
        signal,
      ),
    select: ({ text }) => text,
    enabled: integrationKey !== '' && name !== '',
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
