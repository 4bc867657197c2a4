import { z } from 'zod';
import {
  functionAnswer,
  functionCodeAnswer,
  functionRemovedAnswer,
  functionsAnswer,
} from '../api/answers/function-answers.ts';
import { scriptsConfigAnswer } from '../api/answers/script-config-answers.ts';
import { deleteFunctionQuery, functionParams, functionTypeQuery, listFunctionsQuery } from '../api/functions.ts';
import { integrationParams } from '../api/integrations.ts';
import type { RouteDescription } from './route-description.ts';

export const FUNCTION_ROUTES = {
  'GET /integrations/:uniqueKey/functions': {
    id: 'listFunctions',
    tag: 'Functions',
    summary: 'List functions of an integration',
    access: 'key',
    scopes: ['functions:list'],
    params: integrationParams,
    query: listFunctionsQuery,
    answers: { 200: functionsAnswer },
    errors: ['not_found'],
  },
  'GET /integrations/:uniqueKey/functions/:name': {
    id: 'getFunction',
    tag: 'Functions',
    summary: 'Get a function',
    access: 'key',
    scopes: ['functions:read'],
    params: functionParams,
    query: functionTypeQuery,
    answers: { 200: functionAnswer },
    errors: ['not_found'],
  },
  'GET /integrations/:uniqueKey/functions/:name/code': {
    id: 'getFunctionCode',
    tag: 'Functions',
    summary: 'Get the source of a function',
    access: 'key',
    scopes: ['functions:read'],
    params: functionParams,
    query: functionTypeQuery,
    answers: { 200: functionCodeAnswer },
    errors: ['not_found', 'ambiguous_function'],
  },
  'DELETE /integrations/:uniqueKey/functions/:name': {
    id: 'deleteFunction',
    tag: 'Functions',
    summary: 'Delete a function',
    details: 'A function is a file of the workspace: remove the file. Always refused.',
    access: 'key',
    scopes: ['functions:delete'],
    params: functionParams,
    query: deleteFunctionQuery,
    answers: { 200: functionRemovedAnswer },
    errors: ['not_found', 'function_managed_by_deploy'],
  },
  'GET /scripts/config': {
    id: 'getScriptsConfig',
    tag: 'Functions',
    summary: 'List every function by integration',
    details: '`format=openai` answers tool definitions; anything else is the usual form.',
    access: 'key',
    scopes: ['integrations:list_functions'],
    query: z.object({ format: z.string().optional() }),
    unchecked: ['query'],
    answers: { 200: scriptsConfigAnswer },
  },
} as const satisfies Record<string, RouteDescription>;
