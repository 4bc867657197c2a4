import { keepPreviousData } from '@tanstack/react-query';
import { routeQuery } from '../route-query.ts';
import type { FunctionRef } from './functions-queries.ts';

/** The last answer stays while the name is typed. The file may be created or deleted at any time. */
const whileTyped = ({ integrationKey, name }: FunctionRef) => ({
  enabled: integrationKey !== '' && name !== '',
  placeholderData: keepPreviousData,
  staleTime: 0,
});

/** The file that a new function starts with. */
export const functionDraftQueryOptions = (env: string, ref: FunctionRef) =>
  routeQuery(
    env,
    'GET /api/v1/integrations/:integrationKey/function-draft',
    { params: ref, query: { type: ref.type, name: ref.name } },
    whileTyped(ref),
  );

/** What an agent needs to know to write a new function. */
export const functionPromptQueryOptions = (env: string, ref: FunctionRef) =>
  routeQuery(
    env,
    'GET /api/v1/integrations/:integrationKey/function-prompt',
    { params: ref, query: { type: ref.type, name: ref.name } },
    { ...whileTyped(ref), select: ({ text }) => text },
  );
